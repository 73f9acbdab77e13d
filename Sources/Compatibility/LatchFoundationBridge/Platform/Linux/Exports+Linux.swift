// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// On Linux, Foundation's networking types are in a separate module.
@_exported public import Foundation
@_exported public import FoundationNetworking
#endif
