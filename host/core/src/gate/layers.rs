//! The one list of layers.

use super::layer::Layer;
use super::{paths, patterns, risk, secrets, size, structure};

/// Every layer, in the order in which they look and are reported. A new layer is a file and a line here. A layer sees
/// what those before it found and measured; the risk, which counts all of that, is the last.
pub const LAYERS: &[Layer] =
    &[structure::LAYER, paths::LAYER, size::LAYER, secrets::LAYER, patterns::LAYER, risk::LAYER];
