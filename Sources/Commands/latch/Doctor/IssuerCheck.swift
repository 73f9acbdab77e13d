// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP

/// A check of the connection to an issuer and of the clock difference.
struct IssuerCheck {
    /// The leeway of verifiers in seconds (`JWTVerifier`); a larger clock difference makes fresh tokens invalid.
    private static let tolerance = 30.0
    private static let timeout = Duration.seconds(10)

    let issuer: IssuerURL
    let transport: any Handler

    /// Requests the issuer's health endpoint.
    func run() async -> [Diagnosis] {
        let client = Client(baseURL: issuer.url, transport: transport, timeout: Self.timeout)
        let clock = ContinuousClock()
        let (sent, begin) = (Date(), clock.now)
        do {
            let response = try await client.respond(to: client.request(.get, "healthz"))
            let time = clock.now - begin
            return [connection(response, time)] + (skew(response, sent: sent).map { [$0] } ?? [])
        } catch {
            return [.wrong("issuer", error)]
        }
    }

    /// Reports the response time, or the server error.
    private func connection(_ response: HTTPResponse, _ time: Duration) -> Diagnosis {
        let milliseconds = Int((time.inSeconds * 1000).rounded())
        let facts: JSONObject = [
            "issuer": .string(issuer.text), "status": .integer(Int64(response.status.rawValue)),
            "milliseconds": .integer(Int64(milliseconds)),
        ]
        guard !response.status.isServerError else {
            return .wrong(
                "issuer", "\(issuer.text) responded with a server error (\(response.status)).",
                hint: "Try again later, or inform its operator.", facts: facts)
        }
        return .fine("issuer", "\(issuer.text) responded in \(milliseconds) ms", facts: facts)
    }

    /// Reports the clock difference according to the response's `Date` (RFC 9110 §6.6.1), in whole seconds.
    private func skew(_ response: HTTPResponse, sent: Date) -> Diagnosis? {
        guard let date = response.fields[.date].flatMap(HTTPDate.init)?.date else { return nil }
        // The server wrote the date between the sending and now: only a date outside that interval shows a difference.
        let (ahead, behind) = (date.timeIntervalSince(Date()), date.timeIntervalSince(sent.addingTimeInterval(-1)))
        let skew = ahead > 0 ? ahead : min(behind, 0)
        let facts: JSONObject = ["skewSeconds": .number((skew * 10).rounded() / 10)]
        guard abs(skew) > Self.tolerance else { return .fine("clock", "agrees with that of the issuer", facts: facts) }
        let distance = RelativeTime.amount(abs(skew)) ?? "0 seconds"
        return .wrong(
            "clock", "This machine's clock is \(distance) \(skew > 0 ? "behind" : "ahead of") the issuer's.",
            hint: "Set it; sessions correct for it, other programs do not.", facts: facts)
    }
}
