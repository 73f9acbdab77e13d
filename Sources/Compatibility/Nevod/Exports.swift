// SPDX-License-Identifier: Apache-2.0

// Code that was written for Nevod imports Nevod alone and uses URL, URLRequest and HTTPCookie.
@_exported public import FoundationBridge
