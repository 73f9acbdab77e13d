// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// QR codes, which are drawn only on Linux.
extension QRCode {
    /// Returns nil.
    package init?(_ text: String) { nil }
}

#endif
