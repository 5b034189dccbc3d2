//! Types of the component model, each as one line of text in the style of WIT. Names of types are resolved, so two
//! types are equal exactly if their texts are.
//!
//! A few bytes of a hostile component can describe a type that doubles at each level. So a text is bounded, and two
//! types that both reach the bound count as different.

use std::collections::HashMap;

use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentEntityType, ComponentInstanceType, ComponentValType, ResourceId,
};
use wasmparser::types::TypesRef;

use crate::sandbox::printable::printable;

/// Longest text of a type, in bytes. The longest one in the contract has about 2,000.
const MAX_TEXT: usize = 64 << 10;

/// The type of a function of an instance. `None` if it has no function of that name.
pub(super) fn function(types: TypesRef<'_>, instance: &ComponentInstanceType, name: &str) -> Option<String> {
    let ComponentEntityType::Func(id) = &instance.exports.get(name)?.ty else { return None };
    let function = types.get(*id)?;
    let mut writer = Writer { types, resources: resources(instance), text: String::new() };
    writer.put(if function.async_ { "async func(" } else { "func(" });
    writer.list(function.params.iter(), |writer, (name, ty)| {
        writer.name(name.as_str());
        writer.value(ty);
    });
    writer.put(")");
    if let Some(result) = &function.result {
        writer.put(" -> ");
        writer.value(result);
    }
    if writer.is_full() {
        writer.text.push_str(&format!("… (too long, in {:p})", std::ptr::from_ref(instance)));
    }
    Some(writer.text)
}

/// The resources of an instance, by the names under which it exports them.
fn resources(instance: &ComponentInstanceType) -> HashMap<ResourceId, &str> {
    let mut found = HashMap::new();
    for (name, item) in &instance.exports {
        if let ComponentEntityType::Type { created: ComponentAnyTypeId::Resource(id), .. } = item.ty {
            found.insert(id.resource(), name.as_str());
        }
    }
    found
}

struct Writer<'a> {
    types: TypesRef<'a>,
    resources: HashMap<ResourceId, &'a str>,
    text: String,
}

impl Writer<'_> {
    fn is_full(&self) -> bool {
        self.text.len() >= MAX_TEXT
    }

    fn put(&mut self, text: &str) {
        if !self.is_full() {
            self.text.push_str(text);
        }
    }

    fn name(&mut self, name: &str) {
        let name = printable(name);
        self.put(&name);
        self.put(": ");
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (position, item) in items.enumerate() {
            if self.is_full() {
                return;
            }
            if position > 0 {
                self.put(", ");
            }
            write(self, item);
        }
    }

    fn around(&mut self, name: &str, items: &[Option<&ComponentValType>]) {
        self.put(name);
        self.put("<");
        self.list(items.iter(), |writer, item| match item {
            Some(ty) => writer.value(ty),
            None => writer.put("_"),
        });
        self.put(">");
    }

    fn named(&mut self, kind: &str, names: impl Iterator<Item = String>) {
        self.put(kind);
        self.put(" { ");
        self.list(names, |writer, name| writer.put(&name));
        self.put(" }");
    }

    /// The validator limits types to a hundred levels.
    fn value(&mut self, ty: &ComponentValType) {
        if self.is_full() {
            return;
        }
        let id = match ty {
            ComponentValType::Primitive(primitive) => return self.put(&primitive.to_string()),
            ComponentValType::Type(id) => *id,
        };
        let types = self.types;
        match types.get(id) {
            Some(ty) => self.defined(ty),
            None => self.put("?"),
        }
    }

    fn defined(&mut self, ty: &ComponentDefinedType) {
        match ty {
            ComponentDefinedType::Primitive(primitive) => self.put(&primitive.to_string()),
            ComponentDefinedType::Record(record) => {
                self.put("record { ");
                self.list(record.fields.iter(), |writer, (name, ty)| {
                    writer.name(name.as_str());
                    writer.value(ty);
                });
                self.put(" }");
            }
            ComponentDefinedType::Variant(variant) => {
                self.put("variant { ");
                self.list(variant.cases.iter(), |writer, (name, case)| {
                    writer.put(&printable(name.as_str()));
                    if let Some(ty) = &case.ty {
                        writer.put("(");
                        writer.value(ty);
                        writer.put(")");
                    }
                });
                self.put(" }");
            }
            ComponentDefinedType::List { element, .. } => self.around("list", &[Some(element)]),
            ComponentDefinedType::Map { key, value, .. } => self.around("map", &[Some(key), Some(value)]),
            ComponentDefinedType::FixedLengthList { element, length, .. } => {
                self.around("list", &[Some(element)]);
                self.put(&format!("[{length}]"));
            }
            ComponentDefinedType::Tuple(tuple) => {
                let items: Vec<_> = tuple.types.iter().map(Some).collect();
                self.around("tuple", &items);
            }
            ComponentDefinedType::Flags(names) => {
                self.named("flags", names.iter().map(|name| printable(name.as_str())));
            }
            ComponentDefinedType::Enum(names) => self.named("enum", names.iter().map(|name| printable(name.as_str()))),
            ComponentDefinedType::Option { ty, .. } => self.around("option", &[Some(ty)]),
            ComponentDefinedType::Result { ok, err, .. } => self.around("result", &[ok.as_ref(), err.as_ref()]),
            ComponentDefinedType::Own(id) => self.handle("own", id.resource()),
            ComponentDefinedType::Borrow(id) => self.handle("borrow", id.resource()),
            ComponentDefinedType::Future { ty, .. } => self.around("future", &[ty.as_ref()]),
            ComponentDefinedType::Stream { ty, .. } => self.around("stream", &[ty.as_ref()]),
        }
    }

    fn handle(&mut self, kind: &str, id: ResourceId) {
        let name = printable(self.resources.get(&id).copied().unwrap_or("another interface's resource"));
        self.put(kind);
        self.put("<");
        self.put(&name);
        self.put(">");
    }
}
