// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchServer
import Synchronization

/// `latch serve`: runs the auth server.
enum ServeSubcommand {
    /// The option for the address, by default on loopback, so that a trial server cannot be reached from the network.
    static let listen = Option.value(
        "listen", "HOST:PORT", "where to listen; port 0 takes any free one (127.0.0.1:8080)")
    static let store = Option.value(
        "store", "STORE", "where accounts are kept: sqlite:PATH or postgres://… (sqlite:latch.sqlite)")
    /// The option for the configuration file; LATCH_CONFIG can also give its path.
    static let config = Option.value("config", "FILE", short: "c", "a TOML or JSON file with settings")
    /// The only setting of the auth server that also is an option, because it depends on the address.
    static let issuer = Option.value("issuer", "URL", "the server's public URL (the address it listens on)")
    /// The option of a first try; see ``DevSite``.
    static let dev = Option.flag(
        "dev", "for a first try on this machine: a demo client, and the emails, on pages below /dev")
    private static let printConfig = Option.flag(
        "print-config", "shows all settings with their sources, secrets redacted, and ends: 1 if a server refuses them")

    static let subcommand = Subcommand(
        name: "serve", summary: "runs the auth server until SIGTERM",
        discussion: """
            Once it accepts connections, it prints one line on standard output:
              latch: serving http://127.0.0.1:8080
            Each request is logged on standard error (setting access_log: text, json, logfmt or off).
            SIGTERM and SIGINT let requests in flight finish, then it exits 0; a second one ends it immediately,
            with 143 or 130. SIGHUP reads the configuration and the certificate again.

            Every setting has a key in the file and a name in the environment: LATCH_ and the key in
            capitals. An option overrides the environment, which overrides the file. All of them override
            a file that LATCH_DEFAULTS names. Secrets belong in the file or the environment, never on the
            command line.
            """,
        options: [listen, store, config, issuer, dev, printConfig, .json("with --print-config: for a script")],
        examples: [
            "latch serve --listen 127.0.0.1:8080 --store sqlite:latch.sqlite":
                "serve on this machine, keeping accounts in a file",
            "LATCH_ACCESS_TOKEN_LIFETIME=60 latch serve --config latch.toml --print-config":
                "see which settings are in effect, and why",
        ],
        body: { invocation, environment in
            let loader = SettingsLoader(invocation, variables: environment.variables)
            guard invocation.has(printConfig) else {
                guard !invocation.wantsJSON else {
                    throw CommandError.usage(
                        "'--json' belongs to '--print-config'.", hint: "Leave it out, or give both.")
                }
                let transport = try IssuerTransport.transport(of: invocation, environment.variables)
                return try await ServerProgram(
                    loader: loader, environment: environment, transport: transport,
                    site: invocation.has(dev) ? DevSite() : nil
                ).run()
            }
            let settings = try loader.load()
            environment.write(settings.toml, orJSON: settings.json, for: invocation)
            try settings.check(environment.variables)
            return .success
        })
}

/// The lifecycle of a server process, from loading its settings to its last response.
private struct ServerProgram {
    let loader: SettingsLoader
    let environment: Environment
    /// The transport to identity providers and the collector.
    let transport: any Handler
    /// The pages of a first try; nil without `--dev`.
    let site: DevSite?

    /// Serves until a signal ends it.
    ///
    /// The port is bound before the store is opened, so that a server that cannot listen creates no store. In between,
    /// clients are refused, or wait in the service manager's socket. A second signal ends the process without waiting
    /// for open requests.
    ///
    /// - Returns: Success, once the last response was sent or abandoned; unsent emails are sent after the next start.
    func run() async throws -> ExitCode {
        Server.raiseDescriptorLimit()
        Server.forbidCoreDumps()
        let isStarting = Mutex(true)
        let signals = Self.signals(environment.signals.received()) { isStarting.withLock(\.self) }
        let settings: Settings
        do {
            settings = try loader.load()
        } catch {
            for warning in loader.environmentWarnings { environment.warn(warning) }
            throw error
        }
        let configuration = settings.configuration
        let log = ServerLog(
            configuration.accessLog, slowAfterMilliseconds: configuration.slowRequestMilliseconds, environment)
        log.warn(loader.environmentWarnings)
        log.watchStatements(slowAfterMilliseconds: configuration.slowQueryMilliseconds)
        do {
            try await serve(settings, until: signals, log) { isStarting.withLock { $0 = false } }
            return .success
        } catch {
            // The last line must also have the log's format.
            let error = CommandError(describing: error)
            log.report(error)
            return error.exitCode
        }
    }

    /// - Parameter begin: A function that is called before the first connection is accepted.
    private func serve(
        _ settings: Settings, until signals: AsyncStream<Signal>, _ log: ServerLog, begin: () -> Void
    ) async throws {
        let supervisor = Supervisor(environment.variables)
        let configuration = try settings.serverConfiguration().inheriting(from: supervisor).watched(by: log)
        let administration = try settings.administrationConfiguration()?
            .inheriting(from: supervisor, named: "admin").watched(by: log)
        try supervisor.requireUse(of: configuration.inheritedSockets + (administration?.inheritedSockets ?? []))
        let telemetry = try settings.telemetryConfiguration(environment.variables).map {
            TelemetryExporter($0, transport: transport) { log.report(collectorOf: $0, $1) }
        }
        let handler = SwappableHandler.starting
        let front = site?.serving(handler) ?? handler
        let open = administration == nil ? front : ListenerHandler(next: front, isForOperators: false)
        let server = Server(handler: log.logging(open).traced(by: telemetry), configuration: configuration)
        let administrationServer = administration.map {
            Server(handler: log.logging(ListenerHandler(next: handler, isForOperators: true)), configuration: $0)
        }
        var identity: Identity
        let (address, administrationURL): (Server.Address, String?)
        let isNewStore = settings.configuration.store.isMissingFile
        do {
            (address, administrationURL) = (try server.bind(), try administrationServer?.bind().url)
            identity = try await log.awaitingDatabase { try await self.identity(settings, telemetry, log) }
            identity.adoptIssuer(address.url)
            try connect(identity, to: server, by: handler, log)
            begin()
            try await administrationServer?.start()
            try await server.start()
        } catch {
            await server.shutdown(grace: .zero)
            await administrationServer?.shutdown(grace: .zero)
            throw error
        }
        if let administrationURL { log.announceAdministration(at: administrationURL) }
        let listener = ListenAddress(address)
        log.warn(settings.noted(in: identity.notes, listeningOn: listener))
        let status = await announce(identity, at: address.url, settings, isNewStore: isNewStore, log)
        if let telemetry { identity.report(to: telemetry) }
        supervisor.ready(status)
        for await signal in signals {
            guard signal == .hangUp else { break }
            supervisor.reloading()
            let next = await reloaded(identity, startedWith: settings, of: server, at: listener, in: handler, log)
            identity = next ?? identity
            if let telemetry { identity.measure(for: telemetry) }
            supervisor.ready(next == nil ? "\(status); the last reload has failed" : status)
        }
        supervisor.stopping()
        let secondSignal = Self.endProcess(onNext: signals)
        defer { secondSignal.cancel() }
        identity.drain()
        await Self.wait(settings.configuration.drainDelay)
        await server.shutdown(grace: configuration.grace)
        await administrationServer?.shutdown(grace: .zero)
        await telemetry?.close()
        await identity.close()
        log.tellCollector("stopped", event: "stopped")
        log.flush()
    }

    /// Serves `identity` from `server`, and adds both to the log and the metrics.
    private func connect(
        _ identity: Identity, to server: Server, by handler: SwappableHandler, _ log: ServerLog
    ) throws {
        try site?.use(identity)
        handler.replace(with: identity.handler)
        log.watchStore(of: identity)
        identity.measure(server)
    }

    /// Reports that the server is running, also to a log collector, and returns its status.
    private func announce(
        _ identity: Identity, at url: String, _ settings: Settings, isNewStore: Bool, _ log: ServerLog
    ) async -> String {
        if site != nil { environment.error.line("latch: try it at \(url)\(DevSite.path)") }
        let status = "serving \(url)"
        environment.output.line("latch: \(status)")
        // The server keeps running if this cannot be written, and its exit code does not change.
        Environment.Output.forgetFailureOfStandardOutput()
        let kind = settings.configuration.store.isFile ? "sqlite" : "postgresql"
        log.tellCollector(
            status, event: "started",
            ["version": .string(Program.version), "url": .string(url), "store": .string(kind)])
        await summarize(identity, at: url, settings, isNewStore: isNewStore, log)
        return status
    }

    /// Tells a developer at a terminal what runs, and how to make the first administrator.
    ///
    /// Only a terminal shows the link, since logs are kept. Elsewhere `latch admin first-link` prints it.
    private func summarize(
        _ identity: Identity, at url: String, _ settings: Settings, isNewStore: Bool, _ log: ServerLog
    ) async {
        guard environment.error.isTerminal else { return }
        do throws(IdentityError) {
            let summary = ServerSummary(
                settings: settings, issuer: identity.issuer ?? url, isNewStore: isNewStore,
                mailPage: site == nil ? nil : url + DevSite.path,
                firstAdministratorLink: try await identity.firstAdministratorLink())
            environment.error.write(summary.text(environment.style(of: environment.error)))
        } catch {
            log.report(CommandError(describing: error))
        }
    }

    /// Returns the signals to handle in order.
    ///
    /// Before the start is complete, SIGINT or SIGTERM ends the process immediately. Until then the server has
    /// acknowledged no request, and a migration is rolled back.
    private static func signals(
        _ received: AsyncStream<Signal>, isStarting: @escaping @Sendable () -> Bool
    ) -> AsyncStream<Signal> {
        let (signals, continuation) = AsyncStream<Signal>.makeStream()
        Task {
            for await signal in received {
                if signal != .hangUp, isStarting() { LatchCommand.endProcess(.success) }
                continuation.yield(signal)
            }
        }
        return signals
    }

    /// Waits while requests are served, so that load balancers see the end coming.
    private static func wait(_ time: Duration) async {
        do {
            try await Task.sleep(for: time)
        } catch {
            // A canceled task ends its wait immediately.
        }
    }

    /// Ends the process, with 130 or 143, at the next SIGINT or SIGTERM.
    ///
    /// All sent responses have been committed; unsent emails are sent after the next start.
    private static func endProcess(onNext signals: AsyncStream<Signal>) -> Task<Void, Never> {
        Task {
            for await signal in signals where signal != .hangUp { LatchCommand.endProcess(.ended(by: signal)) }
        }
    }

    /// Opens the auth server with its store.
    private func identity(
        _ settings: Settings, _ telemetry: TelemetryExporter?, _ log: ServerLog
    ) async throws -> Identity {
        let configuration = try settings.identityConfigurationWithKey()
        let authorities = IssuerTransport.authorityFile(environment.variables)
        let mailer = LoggingMailer(next: try site?.mails ?? configuration.mailer(trusting: authorities), log: log)
        guard let telemetry else {
            return try await Identity(
                configuration: configuration, storePath: settings.configuration.store.path, mailer: mailer,
                transport: transport)
        }
        return try await Identity(
            configuration: configuration, storePath: settings.configuration.store.path,
            mailer: TracedMailer(mailer, telemetry),
            transport: transport.intercepted(by: [ClientSpanInterceptor(telemetry)]))
    }

    /// Switches to the reloaded settings and returns the new auth server; nil if they are invalid, which changes
    /// nothing.
    private func reloaded(
        _ identity: Identity, startedWith first: Settings, of server: Server, at listener: ListenAddress,
        in handler: SwappableHandler, _ log: ServerLog
    ) async -> Identity? {
        do {
            let settings = try loader.load()
            let effective = settings.keeping(first)
            // The same paths may have renewed files. They are loaded first and used last, so that a failure changes
            // nothing.
            let replaceCertificate = try effective.tls().map { try server.certificateReplacement($0) }
            let next = try await identity.reconfigured(effective.identityConfigurationWithKey())
            replaceCertificate?()
            // The line is printed once the new settings are in effect.
            handler.replace(with: next.handler)
            try site?.use(next)
            _ = effective.noted(in: next.notes, listeningOn: listener)
            log.write(.notice("the configuration and the keys have been read again", event: "reloaded"))
            let waiting = settings.keysNeedingRestart(since: first)
            if !waiting.isEmpty {
                log.warn(
                    StartupWarning(
                        message: "Without effect until the next start: \(waiting.joined(separator: ", ")).",
                        hint: "These are fixed while the server runs. Restart it to apply them."))
            }
            return next
        } catch {
            identity.countFailedReload()
            log.report(CommandError(describing: error))
            log.warn(
                StartupWarning(
                    message: "The earlier configuration stays in effect.", hint: "Correct it and send SIGHUP again."))
            return nil
        }
    }
}
