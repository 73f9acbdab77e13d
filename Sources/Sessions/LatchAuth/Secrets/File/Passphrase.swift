// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import Synchronization

/// The source of a passphrase.
///
/// It is never an argument of the program, which every process on the machine can read.
package struct Passphrase: Sendable {
    /// Returns the bytes when they are needed, on a thread that may wait.
    let body: @Sendable () throws -> [UInt8]

    /// Returns the source that an environment names: a file descriptor or a file.
    static func platform(_ environment: [String: String]) -> Passphrase {
        if let number = environment["LATCH_PASSPHRASE_FD"].flatMap({ Int32($0) }), number >= 0 {
            return .descriptor(number)
        }
        guard let path = environment["LATCH_PASSPHRASE_FILE"], !path.isEmpty else {
            return Passphrase { throw locked("LATCH_PASSPHRASE_FILE names no file with the passphrase") }
        }
        return .file(path: path)
    }

    /// Returns a source that reads a file without its final line break.
    static func file(path: String) -> Passphrase {
        Passphrase {
            guard let bytes = try AtomicFile(path).read() else { throw locked("there is no file \(path)") }
            return bytes
        }
    }

    /// The content of file descriptors, each of which is read at its first use, because a pipe can be read only once.
    private static let contents = Mutex<[Int32: SymmetricKey]>([:])

    /// Returns a source that reads a file descriptor, such as a pipe or a here-document, to its end.
    ///
    /// It reads the descriptor once in the life of the process.
    static func descriptor(_ descriptor: Int32) -> Passphrase {
        Passphrase {
            try contents.withLock { contents in
                if let content = contents[descriptor] { return content.withUnsafeBytes(Array.init) }
                guard let bytes = try AtomicFile("/dev/fd/\(descriptor)").read() else {
                    throw locked("descriptor \(descriptor) is not open")
                }
                contents[descriptor] = SymmetricKey(data: bytes)
                return bytes
            }
        }
    }

    /// Returns the bytes without the line break that editors and `echo` add.
    ///
    /// - Throws: `storeLocked` if the passphrase is not available now, `storeDenied` if it is empty.
    func bytes() throws -> [UInt8] {
        var bytes = try body()
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw AuthError.store(.storeDenied, "the passphrase is empty") }
        return bytes
    }

    /// Returns the error for a passphrase that is not available now.
    private static func locked(_ reason: String) -> AuthError {
        AuthError.storeLocked.saying(
            "The encrypted file of secrets is locked: \(reason).",
            hint: "Pass the passphrase in a file or by a file descriptor.")
    }
}
