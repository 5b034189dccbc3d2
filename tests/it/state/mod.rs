//! Where state lies, who is believed, and what a hostile repository or a damaged home can put in its way.

mod foreign;
mod hostile;
mod places;
mod shared;
