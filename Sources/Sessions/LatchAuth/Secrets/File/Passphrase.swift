// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import PortableFoundation
import Synchronization

/// The source of a passphrase; never an argument of the program, which every process of the machine can read.
package struct Passphrase: Sendable {
    /// The purpose of a passphrase.
    package enum Purpose: Sendable, Hashable {
        /// An existing file is opened.
        case opening
        /// A new file is created, so a prompt should ask twice.
        case creating
    }

    private let body: @Sendable (Purpose) throws -> [UInt8]

    /// Returns a source that calls `body` when the passphrase is needed, on a thread that may wait for the user.
    ///
    /// - Parameter body: Returns its bytes, or throws `AuthError.storeDenied` where the user declines.
    package static func asking(_ body: @escaping @Sendable (Purpose) throws -> [UInt8]) -> Passphrase {
        Passphrase(body: body)
    }

    /// Returns a source that reads a file, without the line break at its end.
    package static func file(path: String) -> Passphrase {
        Passphrase { _ in
            guard let bytes = try AtomicFile(path).read() else { throw locked("there is no file \(path)") }
            return bytes
        }
    }

    /// Returns a source that reads the file that an environment variable names.
    package static func environment(_ variable: String) -> Passphrase {
        Passphrase { purpose in
            guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else {
                throw locked("\(variable) names no file with the passphrase")
            }
            return try file(path: path).bytes(for: purpose)
        }
    }

    /// Returns a source that reads a file descriptor, such as a pipe or a here-document, to its end, once in the life of
    /// the process.
    package static func descriptor(_ descriptor: Int32) -> Passphrase {
        Passphrase { _ in try DescriptorContent.bytes(of: descriptor) }
    }

    /// Returns the bytes without the line break that editors and `echo` add.
    ///
    /// - Throws: `storeLocked` where there is none now, `storeDenied` where it is empty or the user declines.
    func bytes(for purpose: Purpose) throws -> [UInt8] {
        var bytes = try body(purpose)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw AuthError.store(.storeDenied, "the passphrase is empty") }
        return bytes
    }

    /// Returns the error for a passphrase that is not available now.
    static func locked(_ reason: String) -> AuthError {
        AuthError(
            code: AuthError.storeLocked.code, message: "The encrypted file of secrets is locked: \(reason).",
            hint: "Pass the passphrase in a file, by a file descriptor, or at the prompt.")
    }
}

/// The content of file descriptors, each read at its first use: a pipe can be read only once.
private enum DescriptorContent {
    private static let contents = Mutex<[Int32: SymmetricKey]>([:])

    static func bytes(of descriptor: Int32) throws -> [UInt8] {
        try contents.withLock { contents in
            let stored: SymmetricKey
            if let content = contents[descriptor] {
                stored = content
            } else {
                guard let bytes = try AtomicFile("/dev/fd/\(descriptor)").read() else {
                    throw Passphrase.locked("descriptor \(descriptor) is not open")
                }
                stored = SymmetricKey(data: bytes)
                contents[descriptor] = stored
            }
            return stored.withUnsafeBytes { Array($0) }
        }
    }
}
