// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// Mounts that nobody else sees, and that end with the processes of the soak: they are in a mount namespace of its own.
enum Mounts {
    /// What a soak mounts.
    enum Need {
        case none, namespace
        /// A disk of its own at the home.
        case disk
    }

    /// A command that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The variable that says that this process is in a namespace of its own.
    private static let variable = "SOAK_MOUNTS"

    /// Begins this program again in a mount namespace of its own, unless it is in one.
    ///
    /// Where the user is not root, a user namespace as well makes the mounts possible, if the system allows it.
    static func isolate() throws {
        guard getenv(variable) == nil else { return }
        setenv(variable, "private", 1)
        let user = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        let command = ["unshare"] + user + ["--mount", "--propagation", "private", "--"] + CommandLine.arguments
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        execv("/usr/bin/unshare", words)
        throw Failure(description: "no mount namespace: \(String(cString: strerror(errno)))")
    }

    /// Mounts a small disk in memory.
    static func mountDisk(at folder: String) async throws {
        try await run("mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", folder)
    }

    /// Makes a folder read-only, as a disk after an error: open files stay as they are, and none is opened for writing.
    static func makeReadOnly(_ folder: String) async throws {
        // In one step, as none may be open for writing in a mount that becomes read-only.
        let mount = folder + "-readonly"
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        try await run("mount", "--bind", folder, mount)
        try await run("mount", "-o", "remount,bind,ro", mount)
        try await run("mount", "--bind", mount, folder)
        try await unmount(mount)
    }

    /// Removes the last mount of a folder.
    static func unmount(_ folder: String) async throws { try await run("umount", "--lazy", folder) }

    private static func run(_ program: String, _ arguments: String...) async throws {
        let (ending, output) = try await ChildProcess.run("/usr/bin/\(program)", arguments, errors: .joined)
        guard ending == .exited(0) else {
            throw Failure(description: "\(program) \(arguments): \(String(decoding: output, as: UTF8.self))")
        }
    }

    /// Fills the disk of a folder to its last byte.
    ///
    /// - Returns: The path of the file that fills it.
    static func fill(_ folder: String) throws -> String {
        let path = "\(folder)/filler"
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError("open", path) }
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(file, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw FileError("write", path) }
        return path
    }

    /// Frees the room that `fill` has taken.
    static func free(_ path: String) throws {
        guard unlink(path) == 0 else { throw FileError("unlink", path) }
    }
}
