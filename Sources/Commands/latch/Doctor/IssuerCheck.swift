// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchCore
import LatchHTTP

/// The way to an issuer, and how its clock compares with this machine's.
struct IssuerCheck {
    /// What verifiers allow (JWTVerifier's leeway); beyond it fresh tokens look like those of another time.
    private static let tolerance = 30.0
    /// Nobody waits longer for a look.
    private static let patience = Duration.seconds(10)

    private let issuer: IssuerURL
    private let transport: any Handler

    init(_ issuer: IssuerURL, transport: any Handler = Transport.live) {
        self.issuer = issuer
        self.transport = transport
    }

    /// Asks for the issuer's health.
    func look() async -> [Diagnosis] {
        let client = Client(baseURL: issuer.url, transport: transport, timeout: Self.patience)
        let clock = ContinuousClock()
        let (sent, begin) = (Date(), clock.now)
        do {
            let response = try await client.respond(to: client.request(.get, "healthz"))
            let time = clock.now - begin
            return [reach(response, time)] + (skew(response, sent: sent).map { [$0] } ?? [])
        } catch {
            return [.wrong("issuer", error)]
        }
    }

    /// Any answer shows that somebody is there; one of failure is told.
    private func reach(_ response: HTTPResponse, _ time: Duration) -> Diagnosis {
        let milliseconds = Int((time.inSeconds * 1000).rounded())
        let facts: JSONObject = [
            "issuer": .string(issuer.text), "status": .integer(Int64(response.status.rawValue)),
            "milliseconds": .integer(Int64(milliseconds)),
        ]
        guard !response.status.isServerError else {
            return .wrong(
                "issuer", "\(issuer.text) answers, and says that it is not well (\(response.status)).",
                hint: "Try again later, or tell whoever runs it.", facts: facts)
        }
        return .fine("issuer", "\(issuer.text) answers in \(milliseconds) ms", facts: facts)
    }

    /// The distance of the clocks, by the `Date` of the answer (RFC 9110 §6.6.1), which counts whole seconds.
    private func skew(_ response: HTTPResponse, sent: Date) -> Diagnosis? {
        guard let date = response.fields[.date].flatMap(HTTPDate.init)?.date else { return nil }
        // It was written at some moment between the two: only what lies outside says something.
        let (ahead, behind) = (date.timeIntervalSince(Date()), date.timeIntervalSince(sent.addingTimeInterval(-1)))
        let skew = ahead > 0 ? ahead : min(behind, 0)
        let facts: JSONObject = ["skewSeconds": .number((skew * 10).rounded() / 10)]
        guard abs(skew) > Self.tolerance else { return .fine("clock", "agrees with that of the issuer", facts: facts) }
        // "in 2 hours" without its first word.
        let distance = Span.text(abs(skew)).split(separator: " ").dropFirst().joined(separator: " ")
        return .wrong(
            "clock", "This machine's clock is \(distance) \(skew > 0 ? "behind" : "ahead of") the issuer's.",
            hint: "Set it; sessions correct for it, other programs do not.", facts: facts)
    }
}
