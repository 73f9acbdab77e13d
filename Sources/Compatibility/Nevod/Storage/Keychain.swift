// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// The place where the platform keeps the secrets of a program.
public struct Keychain: Sendable {
    /// Where the bytes are.
    let secrets: any SecretStore

    /// The secrets of a program: in the keychain, on Linux in the keyring or an encrypted file.
    ///
    /// - Parameter service: Names the program, such as its bundle identifier.
    public init(service: String) { secrets = platformSecretStore(service: service) }

    /// The secrets in a store of the program's choice.
    public init(secrets: any SecretStore) { self.secrets = secrets }
}
