// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// The seed's code imports Nevod alone and names URL, URLRequest and HTTPCookie; here these are two modules.
@_exported public import Foundation
@_exported public import FoundationNetworking
#endif
