// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// The time after which a server wants to be contacted again (RFC 9110 §10.2.3): a delay or a date.
///
/// ```swift
/// let delay = RetryAfter("120")  // .delay(.seconds(120))
/// let pause = response.retryDelay(now: Date())
/// ```
package enum RetryAfter: Sendable, Hashable {
    /// The delay from the time of the response.
    case delay(Duration)
    /// The date by the server's clock.
    case date(Date)

    /// The maximum delay, a year; larger values are limited to it.
    package static let longest = Duration.seconds(366 * 86_400)

    /// Parses a field value, or returns nil if it is neither digits nor an HTTP date.
    package init?(_ text: String) {
        let text = Substring(trimmed(text.utf8))
        if let date = HTTPDate(String(text)) {
            self = .date(date.date)
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        // A number that overflows is valid and means a very long time.
        let seconds = Int64(text).map { Duration.seconds(min($0, Self.longest.components.seconds)) }
        self = .delay(seconds ?? Self.longest)
    }

    /// Creates the value of a response's field, or returns nil if it is missing or malformed.
    package init?(_ response: HTTPResponse) {
        guard let text = response.fields[.retryAfter] else { return nil }
        self.init(text)
    }

    /// Returns the time to wait from now on, from zero up to `longest`.
    ///
    /// - Parameters:
    ///   - answered: The `Date` of the response (RFC 9110 §6.6.1). A date is compared with it, since both are from the
    ///     server's clock. Without it, the date is compared with the local clock.
    ///   - now: The date of the local clock.
    package func delay(answeredAt answered: Date?, now: Date) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let date):
            // The limit is applied first: a Duration cannot hold every difference of two dates.
            .seconds(min(max(date.timeIntervalSince(answered ?? now), 0), Self.longest.inSeconds))
        }
    }
}

extension HTTPResponse {
    /// Returns the time that clients should wait, by `Retry-After` and `Date`, or nil if the server states none.
    package func retryDelay(now: Date) -> Duration? {
        RetryAfter(self)?.delay(answeredAt: fields[.date].flatMap(HTTPDate.init)?.date, now: now)
    }
}
