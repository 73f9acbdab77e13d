// SPDX-License-Identifier: Apache-2.0

// Code for Nevod imports only Nevod, and uses URL, URLRequest and HTTPCookie.
@_exported public import LatchFoundationBridge
