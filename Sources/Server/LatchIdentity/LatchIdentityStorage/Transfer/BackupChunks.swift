// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import LatchFoundation

/// The encryption of a backup in chunks: the STREAM construction with AES-256-GCM.
///
/// STREAM is defined by Hoang, Reyhanitabar, Rogaway and Vizár in Online Authenticated-Encryption and its Nonce-Reuse
/// Misuse-Resistance, §7. The nonce of a chunk holds its number and whether it is the last one. So moved, repeated and
/// missing chunks are detected, and so is a missing end. Each backup has a different key.
package struct BackupChunks {
    /// The number of bytes of a chunk; only the last chunk may be shorter.
    package static let size = 65_536
    /// The bytes that encryption adds to a chunk.
    package static let overhead = 16

    package let header: BackupHeader
    private var number: UInt64 = 0

    package init(_ header: BackupHeader) { self.header = header }

    /// Encrypts the next chunk.
    package mutating func seal(_ chunk: some Collection<UInt8>, isLast: Bool) throws(IdentityError) -> [UInt8] {
        let box: AES.GCM.SealedBox
        do {
            box = try AES.GCM.seal(
                Array(chunk), using: header.streamKey, nonce: try nonce(isLast: isLast), authenticating: header.bytes)
        } catch {
            throw .encryptionFailed
        }
        number += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts the next chunk.
    ///
    /// - Throws: `IdentityError.truncatedBackup` if the file ends with a chunk that is not the last one, otherwise
    ///   `.damagedBackup`.
    package mutating func open(_ sealed: [UInt8], isLast: Bool) throws(IdentityError) -> [UInt8] {
        guard let chunk = opened(sealed, isLast: isLast) else {
            throw isLast && opened(sealed, isLast: false) != nil ? .truncatedBackup : .damagedBackup
        }
        number += 1
        return chunk
    }

    private func opened(_ sealed: [UInt8], isLast: Bool) -> [UInt8]? {
        guard let nonce = try? nonce(isLast: isLast), sealed.count >= Self.overhead,
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: sealed.dropLast(Self.overhead), tag: sealed.suffix(Self.overhead)),
            let chunk = try? AES.GCM.open(box, using: header.streamKey, authenticating: header.bytes)
        else { return nil }
        return Array(chunk)
    }

    private func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        var bytes: [UInt8] = [0, 0, 0]
        bytes.append(bigEndian: number)
        bytes.append(isLast ? 1 : 0)
        return try AES.GCM.Nonce(data: bytes)
    }
}
