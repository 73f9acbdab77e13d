// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCrypto

/// The secret of the confidential apps of these tests.
package enum ClientSecret {
    /// A secret with every character that forms and fields encode differently.
    package static let text = "s3cret +&=%:/ü€"

    package static var digest: String {
        Array(SHA256.hash(data: Array(text.utf8))).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The Authorization field of RFC 6749 §2.3.1.
    package static func basic(_ id: String, _ secret: String = text) -> String {
        "Basic " + Data("\(Site.encoded(id)):\(Site.encoded(secret))".utf8).base64EncodedString()
    }
}
