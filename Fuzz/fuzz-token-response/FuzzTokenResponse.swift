// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchOAuth

private let clock = WallClock(
    now: { Date(timeIntervalSince1970: 1_800_000_000) }, sleep: { _ in }, uptime: { .zero })

/// Reads bytes as the answer of a token endpoint: as tokens, and as an error.
///
/// What is accepted can be sent; what is an error tells no secret and no control character, whatever the bytes are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokenResponse(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let secret = "canary-secret"
    for status in [200, 400, 401, 503] as [HTTPStatus] {
        let response = HTTPResponse(status: status, body: HTTPBody(input))
        let error = OAuthError(response, hiding: [secret], now: clock.now)
        hold(!"\(error)".contains(secret), "no secret is told")
        hold((error.issuerMessage ?? "").unicodeScalars.count <= 200, "a message is short")
        let isPlain = (error.issuerMessage ?? "").unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        hold(isPlain, "a message has no control characters")
        hold(!status.isServerError || error != .invalidGrant, "an outage ends no session")
        hold((error.retryAfter ?? .zero) >= .zero, "nobody waits for less than no time")
    }
    for spelling in [TokenResponseDecoder.Spelling.oauth, .camelCase] {
        let response = HTTPResponse(status: .ok, body: HTTPBody(input))
        guard let answer = try? TokenResponseDecoder(spelling, clock: clock).decode(response) else { continue }
        hold(!answer.tokens.access.isEmpty, "there is an access token")
        var request = HTTPRequest(authority: "example.com", path: "/")
        do {
            try answer.tokens.authorize(&request)
            try request.validateForSending()
        } catch {
            hold(false, "what was accepted can be sent")
        }
        hold(answer.tokens.expiry.map { $0 > clock.now } ?? true, "nothing is born expired")
        hold((answer.lifetime ?? .seconds(1)) > .zero, "a lifetime is one")
        let again = Scopes(parsing: answer.grantedScopes?.text ?? "")
        hold(again == answer.grantedScopes ?? [], "scopes read back")
        hold(!"\(answer)".contains(answer.tokens.access) || answer.tokens.access.utf8.count < 40, "no token is told")
    }
    return 0
}
