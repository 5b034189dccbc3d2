//! Genes and capsules one at a time, of each id the one that counts.

use std::collections::BTreeMap;

use gephost_core::capsule::Capsule;
use gephost_core::gene::Gene;

use super::files::{AssetFile, CAPSULE_LINES, CAPSULES, EXTERNAL, GENE_LINES, GENES, Stored};
use super::ids::hash;
use super::{Registry, RegistryError};

impl Registry {
    /// Hands over the capsules that [`Self::capsules`] gives, and after them those that came from elsewhere, as they are kept.
    pub fn each_capsule(&self, each: &mut dyn FnMut(Capsule)) -> Result<(), RegistryError> {
        let read = |text: &[u8]| Capsule::from_json(text).ok();
        self.each_newest(&CAPSULES, &CAPSULE_LINES, read, |capsule| &capsule.id, each)?;
        self.each(&EXTERNAL, &mut |text| read(text).into_iter().for_each(&mut *each))
    }

    /// Hands over the genes that [`Self::genes`] gives, and after them those that came from elsewhere, as they are kept.
    pub fn each_gene(&self, each: &mut dyn FnMut(Gene)) -> Result<(), RegistryError> {
        let read = |text: &[u8]| Gene::from_json(text).ok();
        self.each_newest(&GENES, &GENE_LINES, read, |gene| &gene.id, each)?;
        self.each(&EXTERNAL, &mut |text| read(text).into_iter().for_each(&mut *each))
    }

    /// Hands over the assets that [`Self::merged`] gives, one at a time. Reads the lines twice.
    fn each_newest<T>(
        &self,
        list: &AssetFile,
        lines: &AssetFile,
        read: impl Fn(&[u8]) -> Option<T>,
        id: impl Fn(&T) -> &str,
        each: &mut dyn FnMut(T),
    ) -> Result<(), RegistryError> {
        // The number of the newest line, by the hash of its id.
        let mut newest: BTreeMap<u64, u64> = BTreeMap::new();
        self.visit(lines, &mut |stored| {
            if let Stored::Text { number, text } = stored {
                newest.extend(read(text).map(|asset| (hash(id(&asset)), number)));
            }
        })?;
        self.each(list, &mut |text| {
            read(text).filter(|asset| !newest.contains_key(&hash(id(asset)))).into_iter().for_each(&mut *each);
        })?;
        self.visit(lines, &mut |stored| {
            if let Stored::Text { number, text } = stored {
                let is_newest = |asset: &T| newest.get(&hash(id(asset))) == Some(&number);
                read(text).filter(is_newest).into_iter().for_each(&mut *each);
            }
        })
    }
}
