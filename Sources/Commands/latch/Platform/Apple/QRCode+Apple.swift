// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import LatchFoundation

/// QR codes for a terminal, which are drawn only on Linux.
enum QRCode {
    /// Returns nil.
    static func text(of url: URL) -> String? { nil }
}

#endif
