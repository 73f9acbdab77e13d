// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import PortableFoundation

/// The encryption of a backup in chunks: the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: Online
/// Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, §7) with AES-256-GCM.
///
/// The nonce of a chunk is its number and whether it is the last one, so that a chunk that was moved, repeated or left out is
/// found, and so is a missing end. No other backup has the key.
struct BackupChunks {
    /// The bytes of a chunk, which only the last may have less of.
    static let size = 65_536
    /// The bytes that encryption adds to a chunk.
    static let overhead = 16

    let header: BackupHeader
    private var number: UInt64 = 0

    init(_ header: BackupHeader) { self.header = header }

    /// Encrypts the next chunk.
    mutating func seal(_ chunk: some Collection<UInt8>, isLast: Bool) throws(IdentityError) -> [UInt8] {
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
    /// - Throws: `IdentityError.truncatedBackup` for a chunk in the place of the last that is not the last one, otherwise
    ///   `.damagedBackup`.
    mutating func open(_ sealed: [UInt8], isLast: Bool) throws(IdentityError) -> [UInt8] {
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
