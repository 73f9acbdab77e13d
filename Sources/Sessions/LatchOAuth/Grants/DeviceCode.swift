// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP

/// The codes and the page that a user needs to sign in on another device (RFC 8628 §3.2).
///
/// Show ``userCode`` and ``verificationURI``, or ``completeURI`` as a QR code, and wait with
/// ``AuthorizationClient/finish(_:boundTo:)``.
public struct DeviceAuthorization: Sendable {
    /// The short code for the user, as it should be shown.
    public let userCode: String
    /// The page on which the user types the code.
    public let verificationURI: URL
    /// The page with the code already filled in; nil if the server has none.
    public let completeURI: URL?
    /// The date on which the code expires, by this device's clock.
    public let expiry: Date
    /// The end by the monotonic clock, which changes of the date do not affect.
    let end: Duration
    /// The pause between two requests.
    let interval: Duration
    /// The secret code of this device.
    let deviceCode: String
    let scopes: Scopes

    /// Decodes a response.
    init(_ response: HTTPResponse, scopes: Scopes, clock: WallClock) throws(OAuthError) {
        let members = try response.members()
        guard let device = members["device_code"]?.stringValue, !device.isEmpty,
            let user = members["user_code"]?.stringValue, !user.isEmpty,
            // The second spelling is the draft's, which some servers still use.
            let page = (members["verification_uri"] ?? members["verification_url"])?.stringValue.flatMap(Self.page)
        else { throw .invalidResponse("it has no codes, or no page for them", status: response.status) }
        deviceCode = device
        userCode = OAuthError.printable(user)
        verificationURI = page
        completeURI = members["verification_uri_complete"]?.stringValue.flatMap(Self.page)
        let lifetime = min(max(members["expires_in"]?.seconds ?? 600, 1), 86_400)
        expiry = clock.now.addingTimeInterval(lifetime)
        end = clock.uptime + .seconds(lifetime)
        // RFC 8628 §3.2: five seconds unless the server states another interval.
        interval = .seconds(min(max(members["interval"]?.seconds ?? 5, 1), 300))
        self.scopes = scopes
    }

    /// Returns a page that a browser may open: the server cannot choose another scheme.
    private static func page(_ text: String) -> URL? {
        guard let url = URL(encodingOnce: text), let origin = HTTPOrigin(url),
            origin.scheme == "https" || origin.isLoopback
        else { return nil }
        return url
    }
}

extension DeviceAuthorization: Redacting {
    /// The page, without the codes.
    public var description: String { "DeviceAuthorization(\(verificationURI.absoluteString))" }
}

/// A grant of a device code (RFC 8628 §3.4).
struct DeviceCodeGrant: Grant {
    static let type = "urn:ietf:params:oauth:grant-type:device_code"

    let code: String
    let scopes: Scopes
    let resources: [String]

    var type: String { Self.type }
    var parameters: [(String, String)] { [("device_code", code)] + resources.map { ("resource", $0) } }
    var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension AuthorizationClient {
    /// Begins a sign-in on another device (RFC 8628 §3.1), for the resources of the configuration.
    ///
    /// - Parameter scopes: The requested scopes; nil for those of the configuration.
    /// - Throws: `OAuthError.missingEndpoint` if the server supports no device codes, the server's refusal, and
    ///   `HTTPError`.
    public func beginOnAnotherDevice(scopes: Scopes? = nil) async throws -> DeviceAuthorization {
        let endpoint = try await tokenEndpoint()
        guard let url = endpoint.server.deviceAuthorizationEndpoint else {
            throw OAuthError.missingEndpoint("device_authorization_endpoint")
        }
        let scopes = scopes ?? configuration.scopes(at: endpoint.server)
        let response = try await endpoint.post(
            [("scope", scopes.text)] + configuration.resources.map { ("resource", $0) },
            to: endpoint.endpoint("device_authorization_endpoint", url))
        return try DeviceAuthorization(response, scopes: scopes, clock: clock)
    }

    /// Waits until the user has signed in on the other device, and returns the tokens.
    ///
    /// - Parameters:
    ///   - authorization: The server's response for this device.
    ///   - key: The key to bind the tokens to (RFC 9449 §5); nil for tokens without a binding.
    /// - Throws: `OAuthError.accessDenied` if the user declines, `signInTimedOut` when the code expires, and the
    ///   server's other refusals. Five consecutive pages that are not the server's response also count as a refusal.
    ///   `CancellationError` as soon as the task is canceled.
    public func finish(
        _ authorization: DeviceAuthorization, boundTo key: DPoPKey? = nil
    ) async throws -> TokenResponse {
        let grant = DeviceCodeGrant(
            code: authorization.deviceCode, scopes: authorization.scopes, resources: configuration.resources)
        var interval = authorization.interval
        var foreignPages = 0
        while clock.uptime < authorization.end {
            try await clock.sleep(for: interval)
            do {
                return try await tokens(for: grant, boundTo: key)
            } catch let error as OAuthError {
                // A gateway's page says nothing about the issuer's decision, unless that address always returns pages.
                let isPage = error.status != nil && error.issuerCode == nil
                foreignPages = isPage ? foreignPages + 1 : 0
                switch error.issuerCode {
                case "authorization_pending": continue
                // RFC 8628 §3.5: five seconds more, for this and all later requests.
                case "slow_down": interval += .seconds(5)
                // The second names are those of Microsoft Entra.
                case "expired_token", "code_expired": throw OAuthError.signInTimedOut
                case "access_denied", "authorization_declined": throw OAuthError.accessDenied
                // Codes of Microsoft Entra and GitHub. The usual message would call a password wrong, but no password
                // was sent.
                case "bad_verification_code", "incorrect_device_code":
                    throw OAuthError(
                        code: OAuthError.invalidGrant.code, message: "The server does not know this device's code.",
                        hint: "Start over.", status: error.status, issuerCode: error.issuerCode,
                        issuerMessage: error.issuerMessage)
                default:
                    // The server may recover while the user is busy.
                    let isTransient =
                        error == .temporarilyUnavailable || error == .serverFailed || error == .tooManyRequests
                    guard isTransient || isPage && foreignPages <= Self.mostForeignPages else { throw error }
                    interval = max(interval, error.retryAfter ?? .zero, min(interval * 2, .seconds(60)))
                }
            } catch let error as HTTPError where error.isConnectivity {
                // RFC 8628 §3.5: after a connection timeout, requests are less frequent.
                interval = max(interval, min(interval * 2, .seconds(60)))
            }
        }
        throw OAuthError.signInTimedOut
    }

    /// The number of consecutive pages that are tolerated, within about two minutes.
    private static var mostForeignPages: Int { 4 }
}
