// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity

/// A store on this machine, which its operator administers even while a server uses it.
///
/// The audit log names the operator for each change; a running server sees the change within a second.
enum AdministeredStore {
    /// Runs `body` with the store that the settings name.
    ///
    /// It must exist, so that a misspelled path does not create one.
    static func opening<Result>(
        _ settings: Settings, _ environment: Environment,
        configure: (inout IdentityConfiguration) throws -> Void = { _ in },
        _ body: (Identity) async throws -> Result
    ) async throws -> Result {
        let location = settings.configuration.store
        let path = location.path
        guard !location.isFile || FileManager.default.fileExists(atPath: path) else {
            throw CommandError.failed(
                "There is no store at '\(path)'.",
                hint: "Choose it with --store sqlite:PATH or --config FILE, or a server with --url.")
        }
        var configuration = try settings.identityConfigurationWithKey()
        try configure(&configuration)
        let identity = try await StartupWarning.awaitingDatabase(by: environment.warn) {
            try await Identity(administering: path, configuration: configuration)
        }
        do {
            let result = try await body(identity)
            await identity.close()
            return result
        } catch {
            await identity.close()
            throw error
        }
    }
}
