// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// Here Foundation's messages are a module of their own; whoever imports this one gets both.
@_exported public import Foundation
@_exported public import FoundationNetworking
#endif
