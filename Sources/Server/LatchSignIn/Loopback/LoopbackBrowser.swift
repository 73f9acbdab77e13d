// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchCrypto
public import LatchFoundation
import LatchHTTP
import LatchJOSE
public import LatchOAuth
import LatchServer
import Synchronization

/// The browser of this machine, which returns to a listener on the loopback interface (RFC 8252 §7.3).
///
/// ```swift
/// let session = try await Session.signIn(with: .google(clientID: "…"), using: LoopbackBrowser(), store: store)
/// ```
///
/// The listener accepts one response, the response to the attempt, and closes. It listens on 127.0.0.1 and on ::1 with
/// the same port, so that no other program can receive the response at the other address.
///
/// The browser opens a page of the listener, which redirects once to the authorization server. Other users of the
/// machine can read the opened address while the browser starts. With the authorization server's URL they could sign
/// this program's user in as themselves.
///
/// Register `http://127.0.0.1/callback`: a server that follows RFC 8252 accepts any port. For a server that also
/// compares the port, register and configure a redirect URI with a port.
public struct LoopbackBrowser: Browser {
    /// A closure that opens a URL in a browser; it may return immediately, or when the browser ends.
    ///
    /// It throws `OAuthError.browserUnavailable` without a browser.
    public typealias Opener = @Sendable (URL) async throws -> Void

    /// The path of the redirect URI, unless the configuration has another one.
    public static let defaultPath = "/callback"

    private let path: String
    private let timeout: Duration
    private let clock: WallClock
    private let open: Opener

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URI, if the configuration has none.
    ///   - timeout: The time that a user has to sign in.
    ///   - clock: The clock of the timeout.
    ///   - open: Opens the page; nil for the browser of the system.
    public init(
        path: String = Self.defaultPath, timeout: Duration = .seconds(300), clock: WallClock = .system,
        open: Opener? = nil
    ) {
        self.path = path
        self.timeout = timeout
        self.clock = clock
        self.open = open ?? SystemBrowser.open
    }

    /// Opens the page of an attempt, and returns the response to it.
    ///
    /// - Throws: `OAuthError.browserUnavailable` if no browser or no listener starts, `signInTimedOut`,
    ///   `CancellationError`, and the errors of `begin`.
    public func authorize(
        redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
    ) async throws -> URL {
        let path = redirectURI.map { $0.path(percentEncoded: true) } ?? path
        let listener = LoopbackListener(path: path.isEmpty ? "/" : path)
        let port = try await listener.start(on: redirectURI)
        do {
            let address = redirectURI?.port == nil ? Self.address(redirectURI, port, path) : redirectURI
            guard let address else {
                throw OAuthError.browserUnavailable("the path of the redirect URI is not valid")
            }
            let attempt = try await begin(address)
            listener.expect(attempt)
            guard let page = Self.address(redirectURI, address.port ?? port, listener.startPath) else {
                throw OAuthError.browserUnavailable("the host of the redirect URI is not valid")
            }
            // The opener may run until the user closes the browser.
            Task { do { try await open(page) } catch { listener.fail(error) } }
            let url = try await response(of: listener)
            await listener.close()
            return url
        } catch {
            await listener.close()
            throw error
        }
    }

    /// Whether a redirect URI leads to this machine (RFC 8252 §7.3); the system chooses a missing port.
    package static func canListen(on redirectURI: URL) -> Bool {
        // Other loopback addresses would need other listeners.
        guard let host = redirectURI.host(), ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host),
            redirectURI.scheme == "http", redirectURI.query() == nil
        else { return false }
        return redirectURI.port.map { (1...65_535).contains($0) } ?? true
    }

    /// Returns the redirect URI with the port that the system chose.
    private static func address(_ registered: URL?, _ port: Int, _ path: String) -> URL? {
        let host = registered?.host() ?? "127.0.0.1"
        return URL(
            encodingOnce:
                "http://\(host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[") ? "[\(host)]" : host):\(port)\(path)"
        )
    }

    private func response(of listener: LoopbackListener) async throws -> URL {
        let timer = Task { [timeout, clock] in
            try await clock.sleep(for: timeout)
            listener.fail(OAuthError.signInTimedOut)
        }
        defer { timer.cancel() }
        return try await listener.response()
    }
}

/// A listener for the response to one authorization request.
private final class LoopbackListener: Sendable {
    private struct State {
        var servers: [Server] = []
        var attempt: AuthorizationAttempt?
        /// Whether the first page was loaded; no other browser gets it afterwards.
        var wasOpened = false
        var authorities: Set<String> = []
    }

    /// The path of the page that leads to the authorization server.
    let startPath = "/" + Base64URL.encode(SecureRandom.bytes(18))
    private let path: String
    /// The cookie of the browser that has loaded the page.
    ///
    /// Cookies ignore ports (RFC 6265 §8.5), so each listener has its own.
    private let cookie = "latch-sign-in-" + Base64URL.encode(SecureRandom.bytes(6))
    /// The value of that cookie.
    private let mark = Base64URL.encode(SecureRandom.bytes(18))
    private let state = Mutex(State())
    private let result = SharedResult<URL>()

    init(path: String) { self.path = path }

    /// Listens on both loopback addresses.
    ///
    /// - Returns: The port.
    func start(on redirectURI: URL?) async throws -> Int {
        let port = redirectURI?.port ?? 0
        if let redirectURI, !LoopbackBrowser.canListen(on: redirectURI) {
            throw OAuthError.browserUnavailable("its redirect URI is not an address of this machine")
        }
        // The port that the system chooses for one address may be in use at the other one.
        for _ in 0..<8 {
            let first = server("127.0.0.1", port)
            let address: Server.Address
            do {
                address = try await first.start()
            } catch ServerError.portInUse {
                break
            } catch {
                throw OAuthError.browserUnavailable("nothing can listen on 127.0.0.1 (\(error.code))")
            }
            let second = server("::1", address.port)
            do {
                try await second.start()
            } catch ServerError.portInUse {
                await first.shutdown(grace: .zero)
                guard port == 0 else { break }
                continue
            } catch ServerError.addressUnavailable {
                // A machine without IPv6 has no such address, so no other program can listen there.
            } catch {
                await first.shutdown(grace: .zero)
                throw OAuthError.browserUnavailable("nothing can listen on ::1 (\(error.code))")
            }
            state.withLock { state in
                state.servers = [first, second]
                state.authorities = ["127.0.0.1", "[::1]", "localhost"].reduce(into: []) {
                    $0.insert("\($1):\(address.port)")
                }
            }
            return address.port
        }
        throw OAuthError.browserUnavailable(
            "another program listens on the port", hint: "End that program, or choose another redirect URI.")
    }

    private func server(_ host: String, _ port: Int) -> Server {
        var configuration = Server.Configuration(host: host, port: port)
        (configuration.maximumConnections, configuration.maximumBodyBytes) = (64, 0)
        // A browser sends the cookies of all programs on this host, regardless of their ports (RFC 6265 §8.5): for
        // example 180 cookies of 4 KiB.
        (configuration.maximumHeaderBytes, configuration.maximumHeaderFields) = (1 << 20, 500)
        // Connections of other programs must not block the browser.
        (configuration.headDeadline, configuration.idleTimeout) = (.seconds(5), .seconds(5))
        return Server(
            handler: ClosureHandler { [weak self] in self?.respond(to: $0) ?? HTTPResponse(status: .notFound) },
            configuration: configuration)
    }

    func expect(_ attempt: AuthorizationAttempt) { state.withLock { $0.attempt = attempt } }

    func response() async throws -> URL { try await result.value() }

    func fail(_ error: any Error) { result.finish(.failure(error)) }

    /// Closes both listeners once the browser has its page.
    func close() async {
        let servers = state.withLock { state in
            defer { state.servers = [] }
            return state.servers
        }
        for server in servers { await server.shutdown(grace: .seconds(1)) }
    }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        let (attempt, authorities) = state.withLock { ($0.attempt, $0.authorities) }
        // Another site could make its name resolve to this address (DNS rebinding).
        guard request.method == .get, authorities.contains(request.authority.lowercasedASCII()) else {
            return HTTPResponse(status: .notFound)
        }
        if request.pathWithoutQuery == startPath, let attempt {
            // After a prefetch, the browser loads the page again when its user opens it.
            return request.isPrefetch ? HTTPResponse(status: .serviceUnavailable) : begin(attempt, request)
        }
        guard request.pathWithoutQuery == path else { return HTTPResponse(status: .notFound) }
        guard let attempt, isMarked(request),
            let url = URL(encodingOnce: attempt.redirectURI.absoluteString + "?" + (request.query ?? "")),
            attempt.isAnswered(by: url)
        else {
            // Any program on this machine can call; only the response to the attempt ends the wait.
            return HTMLPage("Nothing to do here", text: "No sign-in is waiting for this response.")
                .response(status: .badRequest)
        }
        result.finish(.success(url))
        var page = HTMLPage(
            "Back to the program", text: "You can close this window. The program that you came from continues."
        ).response()
        page.fields.append("\(cookie)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", for: .setCookie)
        return page
    }

    /// Redirects the first browser to the authorization server, and no other browser.
    private func begin(_ attempt: AuthorizationAttempt, _ request: HTTPRequest) -> HTTPResponse {
        let isFirst = state.withLock { state in
            defer { state.wasOpened = true }
            return !state.wasOpened
        }
        guard isFirst || isMarked(request) else {
            // One of the two browsers is not the user's, and the listener cannot tell which.
            fail(
                OAuthError.browserUnavailable(
                    "its page was opened twice, perhaps by another user of this machine",
                    hint: "Start over, and open the page in one browser; BROWSER=true leaves the choice to you."))
            return HTMLPage("Start over", text: "This page was opened before. Start the sign-in again in the program.")
                .response(status: .badRequest)
        }
        let mark = "\(cookie)=\(mark); Path=/; HttpOnly; SameSite=Lax"
        return .redirect(to: attempt.url.absoluteString, setting: [mark])
    }

    private func isMarked(_ request: HTTPRequest) -> Bool {
        constantTimeEquals((request.cookies[cookie] ?? "").utf8, mark.utf8)
    }
}
