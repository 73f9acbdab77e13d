// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
// On Linux, Foundation's networking types are in a second module.
@_exported public import Foundation
#endif
