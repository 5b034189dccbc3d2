//! A component, and what this project makes of it.

use gephost_app::Project;
use gephost_core::gene::{Capability, DeclaredSetting, SettingValue, SettingsTable};
use gephost_core::grant::Grant;
use gephost_core::recording::Digest;
use gephost_runner::sandbox::{Budgets, Inspected};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Failure;
use crate::exit_code::Exit;
use crate::render::signature::SignatureRow;

/// A capability: what the gene does with it, and what this project says.
#[derive(Debug)]
pub(crate) struct CapabilityUse {
    pub(crate) capability: Capability,
    /// Whether the manifest asks for it.
    pub(crate) asked: bool,
    /// Whether the component imports what it opens.
    pub(crate) imported: bool,
    /// Whether the config grants it.
    pub(crate) granted: bool,
}

/// A component, and what this project makes of it.
#[derive(Debug)]
pub(crate) struct Inspection {
    pub(crate) inspected: Inspected,
    pub(crate) digest: Digest,
    pub(crate) name: String,
    pub(crate) asset_id: String,
    pub(crate) capabilities: Vec<CapabilityUse>,
    pub(crate) grant: Grant,
    pub(crate) budgets: Budgets,
    pub(crate) settings: Vec<SettingHere>,
    pub(crate) signature: SignatureRow,
}

/// A setting that the gene declares, and its value in this project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SettingHere {
    #[serde(flatten)]
    pub(crate) declared: DeclaredSetting,
    /// Its value in this project.
    pub(crate) value: SettingValue,
}

impl Inspection {
    pub(super) fn new(
        name: String,
        (inspected, digest): (Inspected, Digest),
        signature: SignatureRow,
        folder: &Project,
    ) -> Result<Self, Failure> {
        let manifest = &inspected.manifest;
        let grant = folder.config.grants.of(manifest.id());
        let asked = |capability: Capability| CapabilityUse {
            capability,
            asked: manifest.capabilities.contains(&capability),
            imported: inspected.imports_capability(capability)
                || (capability == Capability::Workspace && inspected.imports_files()),
            granted: grant.capabilities().contains(&capability),
        };
        let asset_id = gephost_core::digest::members_id(manifest.gene.document())
            .map_err(|error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}")))?;
        let capabilities = Capability::ALL.map(asked).into_iter().filter(|asked| asked.asked || asked.imported);
        let (capabilities, budgets) = (capabilities.collect(), Budgets::of(grant.budgets()));
        let config = &folder.config.file;
        config.check_settings(manifest).map_err(|error| Failure::new(Exit::Usage, "config", error.to_string()))?;
        let mut values = config.settings_of(manifest);
        let here = |declared: &DeclaredSetting| {
            let value = values.remove(&declared.name).unwrap_or_else(|| declared.default.clone());
            SettingHere { declared: declared.clone(), value }
        };
        let settings = manifest.settings.iter().flat_map(SettingsTable::iter).map(here).collect();
        Ok(Self { inspected, digest, name, asset_id, capabilities, grant, budgets, settings, signature })
    }
}

impl CapabilityUse {
    /// What to do where request, import and grant do not meet.
    pub(crate) fn hint(&self, grant: &Grant) -> Option<String> {
        let name = self.capability;
        match (self.asked, self.imported, self.granted) {
            (true, true, true) if name == Capability::Completion => {
                Some("it asks the model that your own config names in `[model]`, within its limits".to_owned())
            }
            (true, _, false) => Some(format!("to grant it, add \"{name}\" to {} in gephost.toml", grant.place())),
            (true, false, true) => Some("the component imports nothing that it opens".to_owned()),
            (false, ..) => Some(format!("the gene's author adds \"{name}\" to `capabilities` in gene.json")),
            (true, true, true) => None,
        }
    }
}
