// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PortableFoundation
import LatchCore

/// Where this platform keeps the secrets of a service: the store that was chosen, or is chosen at the first use.
package func platformSecretStore(service: String) -> any SecretStore {
    ChosenSecretStore(.platform(service: service, environment: ProcessInfo.processInfo.environment))
}

extension SecretStoreChoice {
    /// Which store keeps the secrets of a service here and why; nothing is made or changed by asking.
    ///
    /// - Throws: `storeUnavailable` where `LATCH_SECRET_STORE` names another store than the one that has the secrets,
    ///   `storeCorrupt` where the record of the choice is damaged.
    public static func current(service: String) async throws -> SecretStoreChoice {
        do {
            return try await SecretStoreSelection.platform(
                service: service, environment: ProcessInfo.processInfo.environment
            ).choice()
        } catch let failure as FileFailure {
            throw AuthError.file(failure)
        }
    }
}

extension SecretStoreMigration {
    /// Moves the secrets of a service to another kind of store, while all other processes of the person wait.
    public static func run(service: String, to kind: SecretStoreKind) async throws -> Report {
        try await SecretStoreSelection.platform(
            service: service, environment: ProcessInfo.processInfo.environment
        ).migrate(to: kind)
    }
}

extension SecretStoreSelection {
    /// The stores of Linux for a service.
    static func platform(service: String, environment: [String: String]) -> SecretStoreSelection {
        let folder = secretsFolder(in: environment)
        let path = "\(folder)/\(fileName(for: service))"
        // A keyring is one for the person: a folder of their own keeps the items of LATCH_HOME apart.
        let home = environment["LATCH_HOME"]?.hasPrefix("/") == true
        let items = home ? "\(service) (\(folder))" : service
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        let keyring = SecretServiceStore(service: items, asksPerson: hasDisplay)
        let fileKeys = SecretServiceStore(service: "\(items): file key", asksPerson: hasDisplay)
        let passphrase = SecretFileKey.passphrase(.platform(environment))
        return SecretStoreSelection(
            service: service, path: path, environment: environment,
            makeStore: { kind in
                let file: (SecretFileKey, String)? =
                    switch kind {
                    case .file: (.keyFile(path: "\(path).key"), "\(path).secrets")
                    case .passphrase: (passphrase, "\(path).passphrase.secrets")
                    case .keyringFile: (.keyring(fileKeys), "\(path).keyring.secrets")
                    default: nil
                    }
                if let (key, place) = file { return (EncryptedFileSecretStore(path: place, key: key), place) }
                return kind == .secretService ? (keyring, "the default keyring, as '\(items)'") : nil
            }, checkKeyring: { try await keyring.check() })
    }
}

extension Passphrase {
    /// The passphrase that the environment gives, by the name of a file or the number of an open one.
    static func platform(_ environment: [String: String]) -> Passphrase {
        if let number = environment["LATCH_PASSPHRASE_FD"].flatMap({ Int32($0) }), number >= 0 {
            return .descriptor(number)
        }
        guard let path = environment["LATCH_PASSPHRASE_FILE"], !path.isEmpty else {
            return .environment("LATCH_PASSPHRASE_FILE")
        }
        return .file(path: path)
    }
}

/// How the processes of this user take turns over one account: by files beside the secrets.
package func platformCoordination(service: String, account: String) -> any SessionCoordination {
    let folder = secretsFolder(in: ProcessInfo.processInfo.environment)
    return FileCoordination(path: "\(folder)/\(fileName(for: service)).\(fileName(for: account))")
}

/// The folder of the secrets in an environment; no slash at its end is needed or added.
///
/// A relative path would mean another store for each working directory, and so lost sessions: it is ignored.
package func secretsFolder(in environment: [String: String]) -> String {
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
