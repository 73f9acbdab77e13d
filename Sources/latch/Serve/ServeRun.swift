// SPDX-License-Identifier: Apache-2.0

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
        // Signals that come while the server starts are kept and found below.
        let signals = shell.signals.received()
        source.warnOfUnknownNames(shell)
        let settings = try source.read()
        let configuration = try ServerSocket(settings).configuration()
        var identity = try await identity(settings)
        let handler = CurrentHandler(identity.handler)
        let server = Server(handler: handler, configuration: configuration)
        do {
            let address = try await server.start()
            identity.adoptIssuer(address.url)
            warnOfMissingMailer(settings)
            warnOfPlainText(configuration)
            shell.output.line("latch: serving \(address.url)")
        } catch {
            await identity.close()
            throw error
        }
        for await signal in signals {
            guard signal == .hangUp else { break }
            identity = await reloaded(identity, startedWith: settings)
            handler.exchange(for: identity.handler)
        }
        await server.shutdown(grace: configuration.grace)
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
        guard let folder = configuration.mailDirectory else { return NoMailer() }
        return FileMailer(folder: folder, sender: configuration.mailSender)
    }

    private func warnOfMissingMailer(_ settings: Settings) {
        guard settings["mail_directory"].isEmpty else { return }
        shell.warn(
            "No mails can be sent, so nobody can verify an address or reset a password.",
            hint: "Set smtp_url, or mail_directory to have mails written as files.")
    }

    private func warnOfPlainText(_ configuration: Server.Configuration) {
        guard configuration.tls == nil, !ListenAddress(of: configuration).isLoopback else { return }
        shell.warn(
            "Passwords and tokens cross the network unencrypted: other machines reach \(configuration.host).",
            hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that speaks TLS.")
    }
}

extension ServeRun {
    /// The server under the settings as they are now; the same one where they cannot be used.
    private func reloaded(_ identity: Identity, startedWith first: Settings) async -> Identity {
        do {
            let settings = try source.read()
            let next = try await identity.reconfigured(settings.keeping(first).identityConfiguration())
            shell.error.line("latch: the configuration and the keys have been read again")
            let waiting = settings.waitingForStart(since: first)
            if !waiting.isEmpty {
                shell.warn(
                    "Without effect until the next start: \(waiting.joined(separator: ", ")).",
                    hint: "These are fixed while the server runs. Start it again when it suits.")
            }
            return next
        } catch {
            shell.tell(CommandError(telling: error))
            shell.warn("The earlier configuration stays in effect.", hint: "Correct it and send SIGHUP again.")
            return identity
        }
    }
}
