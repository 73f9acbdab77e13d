// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
// The seed's code imports Nevod alone and names URL, URLRequest and HTTPCookie.
@_exported public import Foundation
#endif
