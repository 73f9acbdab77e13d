// SPDX-License-Identifier: Apache-2.0

import LatchCommand
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
    ///
    /// The order matters: the store is open before the port is, and the port is closed before the store. Whoever
    /// reaches the server reaches all of it, and an answer that was promised can still be committed.
    /// A second wish to end does not wait for the drain, see `endAtOnce`.
    ///
    /// - Returns: Success, once the last request has been answered and the last mail sent or given up.
    /// - Throws: What keeps the server from starting; nothing that was begun is left open.
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
            for warning in ServeWarning.all(settings, configuration) { shell.warn(warning.message, hint: warning.hint) }
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
        let impatience = Self.endAtOnce(onNext: signals)
        defer { impatience.cancel() }
        await server.shutdown(grace: configuration.grace)
        await identity.close()
        return .success
    }

    /// Ends the process, with 130 or 143, at the next SIGINT or SIGTERM: who asks twice does not want to wait.
    ///
    /// What was answered has been committed, so nothing that a client was promised is lost; mails that wait are. A
    /// SIGHUP means nothing any more, for there is nothing left that could use another configuration.
    private static func endAtOnce(onNext signals: AsyncStream<Signal>) -> Task<Void, Never> {
        Task {
            for await signal in signals where signal != .hangUp { endProcess(.ended(by: signal)) }
        }
    }

    /// The auth server over its store, without a port.
    ///
    /// - Throws: What keeps the store from being opened; no file is left open then.
    private func identity(_ settings: Settings) async throws -> Identity {
        let configuration = try settings.identityConfiguration()
        let location = try StoreLocation(settings["store"])
        return try await Identity(
            configuration: configuration, storePath: location.path, mailer: configuration.mailer())
    }
}

extension ServeRun {
    /// The server under the settings as they are now; the same one where they cannot be used.
    ///
    /// A configuration that cannot be used changes nothing: it is told with its place, and the server goes on as it
    /// was.
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
