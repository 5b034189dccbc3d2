//! `wasi:sockets` for components that import it without using it, as every Python component does. A call of one of its
//! functions ends the gene with a message that names the function. None of its resources can be created. Nothing of the
//! host's network is linked.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, LinkerInstance, ResourceType};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable};

use super::state::GeneState;

/// The name of the package in imports.
pub(super) const PACKAGE: &str = "wasi:sockets/";

/// The host's type for every resource of the package. It has no values.
enum NoSocket {}

/// Links the component's imports of the package, if it has any. Then it returns a linker for this component alone.
pub(super) fn link(linker: &Linker<GeneState>, component: &Component) -> wasmtime::Result<Option<Linker<GeneState>>> {
    let ty = component.component_type();
    let mut imports = ty.imports(component.engine()).filter(|(name, _)| name.starts_with(PACKAGE)).peekable();
    if imports.peek().is_none() {
        return Ok(None);
    }
    let mut linker = linker.clone();
    for (import, item) in imports {
        let ComponentItem::ComponentInstance(interface) = item.ty else { continue };
        let mut instance = linker.instance(import)?;
        for (name, item) in interface.exports(component.engine()) {
            link_item(&mut instance, import, name, &item.ty)?;
        }
    }
    Ok(Some(linker))
}

fn link_item(
    instance: &mut LinkerInstance<'_, GeneState>,
    import: &str,
    name: &str,
    item: &ComponentItem,
) -> wasmtime::Result<()> {
    match item {
        ComponentItem::ComponentFunc(_) => {
            let refusal = format!("`{import}#{name}`: a gene has no network");
            instance.func_new(name, move |_, _, _, _| Err(wasmtime::Error::msg(refusal.clone())))
        }
        ComponentItem::Resource(_) => instance.resource(name, resource(name), |_, _| Ok(())),
        // Types other than resources need no definition.
        _ => Ok(()),
    }
}

/// The host's type of a resource. Resources that the package shares with `wasi:io` have the types of `wasi:io`.
fn resource(name: &str) -> ResourceType {
    match name {
        "pollable" => ResourceType::host::<DynPollable>(),
        "input-stream" => ResourceType::host::<DynInputStream>(),
        "output-stream" => ResourceType::host::<DynOutputStream>(),
        "error" => ResourceType::host::<wasmtime::Error>(),
        _ => ResourceType::host::<NoSocket>(),
    }
}
