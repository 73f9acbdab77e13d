// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchIdentity
import LatchServer

/// One life of the server: from reading its settings to the last answer.
struct ServeRun {
    private let source: SettingsSource
    private let shell: Shell

    init(_ source: SettingsSource, _ shell: Shell) {
        self.source = source
        self.shell = shell
    }

    /// Serves until a signal asks for the end.
    func run() async throws -> ExitCode {
        let signals = shell.signals.received()
        source.warnOfUnknownNames(shell)
        let settings = try source.read()
        let identity = try await identity(settings)
        let server: Server
        do {
            server = Server(handler: identity.handler, configuration: try ServerSocket(settings).configuration())
            let address = try await server.start()
            identity.adoptIssuer(address.url)
            warnOfPlainText(settings)
            shell.output.line("latch: serving \(address.url)")
        } catch {
            await identity.close()
            throw error
        }
        for await signal in signals {
            guard signal == .hangUp else { break }
            reload(from: settings)
        }
        await server.shutdown(grace: .seconds(settings.number("shutdown_grace")))
        await identity.close()
        return .success
    }

    private func identity(_ settings: Settings) async throws -> Identity {
        let configuration = try settings.identityConfiguration()
        let location = try StoreLocation(settings["store"])
        return try await Identity(
            configuration: configuration, storePath: location.path, mailer: mailer(configuration))
    }

    private func mailer(_ configuration: IdentityConfiguration) -> any Mailer {
        if let folder = configuration.mailDirectory {
            return FileMailer(folder: folder, sender: configuration.mailSender)
        }
        shell.warn(
            "No mails can be sent, so nobody can verify an address or reset a password.",
            hint: "Set smtp_url, or mail_directory to have mails written as files.")
        return NoMailer()
    }

    private func warnOfPlainText(_ settings: Settings) {
        guard settings["tls_certificate"].isEmpty, let address = try? ListenAddress(settings["listen"]),
            !address.isLoopback
        else { return }
        shell.warn(
            "Passwords and tokens cross the network unencrypted: \(settings["listen"]) is reachable from other machines.",
            hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that speaks TLS.")
    }

    private func reload(from old: Settings) {}
}
