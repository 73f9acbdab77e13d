// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
// On Linux the networking types are a second module.
@_exported public import Foundation
#endif
