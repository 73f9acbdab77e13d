// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

/// The response of a collector to an export without content, for an operator's check.
package struct TelemetryCheck: Sendable {
    /// The signal: `traces` or `metrics`.
    package let signal: String
    /// The collector's origin.
    package let origin: String
    /// The status of the response, or the reason why there is none.
    package let result: Result<HTTPStatus, any Error>
}

extension TelemetryConfiguration {
    /// Sends an export without content for each signal that has a collector.
    package func check(by transport: any Handler) async -> [TelemetryCheck] {
        let transport = transport.intercepted(by: [TimeoutInterceptor(timeout)])
        var checks: [TelemetryCheck] = []
        for (signal, target) in [("traces", traces), ("metrics", metrics)] {
            guard let target else { continue }
            let result: Result<HTTPStatus, any Error>
            do {
                let request = HTTPRequest(
                    method: .post, scheme: target.origin.scheme, authority: target.origin.authority,
                    path: target.path, fields: fields, body: HTTPBody("{}"))
                result = .success(try await transport.respond(to: request).status)
            } catch {
                result = .failure(error)
            }
            checks.append(TelemetryCheck(signal: signal, origin: "\(target.origin)", result: result))
        }
        return checks
    }
}
