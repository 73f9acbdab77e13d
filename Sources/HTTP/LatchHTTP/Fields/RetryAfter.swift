// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
import LatchCore

/// When a server wants to be asked again (RFC 9110 §10.2.3): after some seconds, or at a date.
///
/// ```swift
/// RetryAfter("120") == .delay(.seconds(120))
/// response.retryDelay(now: clock.now)
/// ```
public enum RetryAfter: Sendable, Hashable {
    /// After this time, counted from the answer.
    case delay(Duration)
    /// At this date, by the server's clock.
    case date(Date)

    /// The longest time that is read: a year; what says more means "not in your lifetime" and is read as this.
    public static let longest = Duration.seconds(366 * 86_400)

    /// Reads a field's value; nil where it is neither digits nor an HTTP date.
    public init?(_ text: String) {
        let text = text[...].trimmingOptionalWhitespace
        if let date = HTTPDate(String(text)) {
            self = .date(date.date)
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // More digits than a machine word holds are still digits, and mean a very long time.
        let seconds = Int(text).map { Duration.seconds(min($0, Int(Self.longest.components.seconds))) }
        self = .delay(seconds ?? Self.longest)
    }

    /// The field of an answer; nil where it has none that can be read.
    public init?(_ response: HTTPResponse) {
        guard let text = response.fields[.retryAfter] else { return nil }
        self.init(text)
    }

    /// How long to wait from now on, from zero up to `longest`.
    ///
    /// - Parameters:
    ///   - answered: The `Date` of the answer (RFC 9110 §6.6.1). A date is compared with it, since both are of the
    ///     server's clock, and with the clock here only where it is missing.
    ///   - now: The date of the clock here.
    public func delay(answeredAt answered: Date?, now: Date) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let date):
            // The bound comes first: a Duration cannot hold what lies between any two dates.
            .seconds(min(max(date.timeIntervalSince(answered ?? now), 0), Self.longest.inSeconds))
        }
    }
}

extension HTTPResponse {
    /// How long the server wants to be left alone, by its `Retry-After` and its `Date`; nil where it does not say.
    public func retryDelay(now: Date) -> Duration? {
        RetryAfter(self)?.delay(answeredAt: fields[.date].flatMap(HTTPDate.init)?.date, now: now)
    }
}
