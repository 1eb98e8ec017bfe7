//! The one integration-test binary.

mod floors;
