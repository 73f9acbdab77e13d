// SPDX-License-Identifier: Apache-2.0

// The seed's code imports JWTAuth alone and names URL, URLSession and HTTPURLResponse.
@_exported public import FoundationBridge
