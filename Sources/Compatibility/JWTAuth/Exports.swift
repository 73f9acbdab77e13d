// SPDX-License-Identifier: Apache-2.0

// Code for the original library imports only JWTAuth, and uses URL, URLSession and HTTPURLResponse.
@_exported public import LatchFoundationBridge
