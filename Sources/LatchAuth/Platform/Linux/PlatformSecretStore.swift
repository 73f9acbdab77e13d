// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import FoundationEssentials

/// The place where this platform keeps the secrets of a service: an encrypted file with its key beside it.
///
/// The folder is `$LATCH_HOME`, else `latchwork` in `$XDG_DATA_HOME`, else in `~/.local/share`
/// (XDG Base Directory Specification 0.8).
package func platformSecretStore(service: String) -> any SecretStore {
    let folder = secretsFolder(in: ProcessInfo.processInfo.environment)
    let name = fileName(for: service)
    return EncryptedFileSecretStore(
        path: "\(folder)/\(name).secrets", key: .keyFile(path: "\(folder)/\(name).key"))
}

/// How the processes of this user take turns over one account: by files beside the secrets.
package func platformCoordination(service: String, account: String) -> any SessionCoordination {
    let folder = secretsFolder(in: ProcessInfo.processInfo.environment)
    return FileCoordination(path: "\(folder)/\(fileName(for: service)).\(fileName(for: account))")
}

/// The folder of the secrets in an environment; no slash at its end is needed or added.
///
/// A relative path would mean another store for each working directory, and so lost sessions: it is ignored.
func secretsFolder(in environment: [String: String]) -> String {
    func path(_ name: String) -> String? {
        // The specification: a relative path is invalid and is ignored.
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    if let home = path("LATCH_HOME") { return home }
    if let data = path("XDG_DATA_HOME") { return data + "/latchwork" }
    let home = path("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
    return home + "/.local/share/latchwork"
}

/// A service as a file name: what is not a letter, digit, dot, hyphen or underscore becomes `%` and two digits.
func fileName(for service: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var name: [UInt8] = []
    for (index, byte) in service.utf8.enumerated() {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: name.append(byte)
        case 0x2E where index > 0: name.append(byte)
        default: name += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: name, as: UTF8.self)
}
#endif
