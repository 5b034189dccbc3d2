//! The one list of layers.

use super::layer::Layer;
use super::{paths, patterns, risk, secrets, size, structure};

/// Every layer, in the order in which they run and are reported. To add a layer, add a file and a line here. A layer
/// sees what the layers before it found and measured, so the risk, which counts all of that, comes last.
pub const LAYERS: &[Layer] =
    &[structure::LAYER, paths::LAYER, size::LAYER, secrets::LAYER, patterns::LAYER, risk::LAYER];
