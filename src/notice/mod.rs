//! Every sentence a model reads. Takes numbers, ids and text; what it writes is never read back.

mod quote;

mod copies;
mod reading;
mod saving;

pub(crate) use copies::*;
pub(crate) use reading::*;
pub(crate) use saving::*;
