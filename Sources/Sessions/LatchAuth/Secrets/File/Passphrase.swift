// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto
import Synchronization

/// Where a passphrase comes from; never an argument of the program, which every process of the machine can read.
public struct Passphrase: Sendable {
    /// What a passphrase is asked for.
    public enum Purpose: Sendable, Hashable {
        /// To open what is there.
        case opening
        /// To close something new, and so better asked for twice.
        case creating
    }

    private let body: @Sendable (Purpose) throws -> [UInt8]

    /// A passphrase that is asked for when it is needed, on a thread that may wait for a person.
    ///
    /// - Parameter body: Returns its bytes, or throws `AuthError.storeDenied` where the person declines.
    public static func asking(_ body: @escaping @Sendable (Purpose) throws -> [UInt8]) -> Passphrase {
        Passphrase(body: body)
    }

    /// A passphrase in a file, without the line break at its end.
    public static func file(path: String) -> Passphrase {
        Passphrase { _ in
            guard let bytes = try AtomicFile(path).read() else { throw locked("there is no file \(path)") }
            return bytes
        }
    }

    /// A passphrase in the file that a variable of the environment names.
    public static func environment(_ variable: String) -> Passphrase {
        Passphrase { purpose in
            guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else {
                throw locked("\(variable) names no file with the passphrase")
            }
            return try file(path: path).bytes(for: purpose)
        }
    }

    /// A passphrase that comes from an open file, such as a pipe or a here-document; it is read to its end once in
    /// the life of the process.
    public static func descriptor(_ descriptor: Int32) -> Passphrase {
        Passphrase { _ in try DescriptorContent.bytes(of: descriptor) }
    }

    /// The bytes, without the line break that editors and `echo` add.
    ///
    /// - Throws: `storeLocked` where there is none now, `storeDenied` where it is empty or declined.
    func bytes(for purpose: Purpose) throws -> [UInt8] {
        var bytes = try body(purpose)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw AuthError.store(.storeDenied, "the passphrase is empty") }
        return bytes
    }

    /// The error where no passphrase is to be had now.
    static func locked(_ why: String) -> AuthError {
        AuthError(
            code: AuthError.storeLocked.code, message: "The encrypted file of secrets is locked: \(why).",
            hint: "Give the passphrase in a file, by an open file, or when you are asked for it.")
    }
}

/// What open files held, each read when it is first needed and kept: a pipe gives its content once to a process.
private enum DescriptorContent {
    private static let contents = Mutex<[Int32: SymmetricKey]>([:])

    static func bytes(of descriptor: Int32) throws -> [UInt8] {
        try contents.withLock { contents in
            let kept: SymmetricKey
            if let content = contents[descriptor] {
                kept = content
            } else {
                guard let bytes = try AtomicFile("/dev/fd/\(descriptor)").read() else {
                    throw Passphrase.locked("descriptor \(descriptor) is not open")
                }
                kept = SymmetricKey(data: bytes)
                contents[descriptor] = kept
            }
            return kept.withUnsafeBytes { Array($0) }
        }
    }
}
