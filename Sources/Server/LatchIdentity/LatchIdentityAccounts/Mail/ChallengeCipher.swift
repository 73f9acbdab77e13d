// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCrypto
import LatchFoundation
import LatchIdentityStorage
import LatchJOSE

/// The encryption of a challenge that a client keeps until it sends a code, with a key derived from the server's pepper.
package struct ChallengeCipher<Challenge: Codable & Sendable>: Sendable {
    private let key: SymmetricKey
    private let context: [UInt8]
    /// The prefix that distinguishes the text from tokens and other challenges (attack F4).
    private let prefix: String
    /// The greatest length of a text.
    private var greatestLength: Int { 4096 }

    /// - Parameter name: The kind of the challenge, such as `mailed code`.
    init(_ name: String, prefix: String, pepper: SymmetricKey) {
        key = pepper.derived(for: "latch \(name)")
        context = Array("latch \(name) 1".utf8)
        self.prefix = prefix
    }

    /// Returns the text for the client.
    func seal(_ challenge: Challenge) throws(IdentityError) -> String {
        do {
            let box = try AES.GCM.seal(Array(try JSONEncoder().encode(challenge)), using: key, authenticating: context)
            return prefix + Base64URL.encode(Array(box.nonce) + Array(box.ciphertext) + Array(box.tag))
        } catch {
            throw .encryptionFailed
        }
    }

    /// Returns the challenge of a text.
    ///
    /// - Throws: `IdentityError.codeEnded` if the text was changed, or comes from another server.
    func open(_ text: String) throws(IdentityError) -> Challenge {
        guard text.utf8.count <= greatestLength, text.utf8.starts(with: prefix.utf8) else { throw .codeEnded }
        do {
            let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text.dropFirst(prefix.utf8.count)))
            let content = try AES.GCM.open(box, using: key, authenticating: context)
            return try JSONDecoder().decode(Challenge.self, from: Data(content))
        } catch {
            throw .codeEnded
        }
    }
}

extension ChallengeCipher: Redacting {}
