// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
// On Linux these are two modules; here one.
@_exported public import Foundation
#endif
