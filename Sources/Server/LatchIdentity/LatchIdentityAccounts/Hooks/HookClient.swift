// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage
import LatchJOSE
import Synchronization

/// The client of one hook: it signs a request, sends it, and stops asking a program that does not answer.
package final class HookClient: Sendable {
    /// The reason why a program has not answered.
    package struct Failure: Error, CustomStringConvertible {
        /// A sentence without its full stop, which holds nothing that the program has sent.
        package let description: String
        /// The status of the answer; nil without one.
        package var status: HTTPStatus?
        /// The seconds that the answer asks to wait; nil for none.
        package var retryAfter: Duration?
        /// Whether the program has not got the request.
        package var isUnsent = false

        /// The statuses from 400 to 499 after which the same message may be accepted later: the URL or the secret is
        /// wrong, or the program has too much to do.
        private static let passing = [401, 404, 408, 425, 429]

        /// Whether the program has refused this message, and may accept others.
        package var isRefusal: Bool {
            status.map { $0.isClientError && !Self.passing.contains($0.rawValue) } ?? false
        }
    }

    /// The failed calls in a row after which the program is not asked for a while.
    private static let tolerance = 5
    /// The time for which it is not asked; then one call tries.
    private static let pause = 10.0
    /// The maximum size of an answer, in bytes.
    private static let maximumSize = 64 << 10

    package let hook: Hook
    private let secret: HookSecret
    private let transport: any Handler
    private let clock: WallClock
    private let random: RandomSource
    private let metrics: Metrics
    /// The failed calls in a row, and the time until which no call is made.
    private let state = Mutex((failures: 0, until: -Double.infinity))

    /// Creates a client.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package init(
        _ hook: Hook, _ configuration: IdentityConfiguration, transport: any Handler, clock: WallClock,
        random: RandomSource, metrics: Metrics
    ) throws(IdentityError) {
        if let flaw = hook.flaw { throw .invalidSetting("hooks", flaw) }
        let text = try ConfiguredSecret.read(
            of: hook.name, in: "hooks", or: "hook_secrets", given: configuration.hookSecrets[hook.name],
            path: hook.secretFile)
        guard let secret = HookSecret(text, of: hook.name, clock: clock) else {
            throw .invalidSetting(
                "hook_secrets", "whsec_ and 32 to 64 random bytes in base 64 for '\(hook.name)'")
        }
        self.hook = hook
        self.secret = secret
        // No redirects: the request goes where the setting says.
        self.transport = BoundedResponses(
            transport, maximumSize: Self.maximumSize, within: .seconds(hook.timeout))
        (self.clock, self.random, self.metrics) = (clock, random, metrics)
    }

    /// Asks the program, and returns the members of its answer; none for an answer without content.
    ///
    /// - Parameters:
    ///   - type: The value of `type`, by which the program tells requests apart.
    ///   - id: The identifier of the message, which its repetitions have too; nil for a random one.
    package func ask(_ type: String, _ data: JSONObject, id: String? = nil) async throws(Failure) -> JSONObject {
        let answer = try await send(type, data, id: id ?? "msg_\(random.identifier())", at: clock.now)
        var members: JSONObject? = [:]
        if !answer.isEmpty {
            do throws(JSONError) { members = try JSONValue(parsing: answer).objectValue } catch { members = nil }
        }
        guard let members else { throw counted(Failure(description: "its answer is not a JSON object")) }
        noteAnswer()
        return members
    }

    /// Sends a message whose answer has no content that counts.
    ///
    /// - Parameters:
    ///   - id: The identifier of the message, which its repetitions have too.
    ///   - date: The time of what the message is about.
    package func tell(_ type: String, _ data: JSONObject, id: String, at date: Date) async throws(Failure) {
        _ = try await send(type, data, id: id, at: date)
        noteAnswer()
    }

    /// Sends a message and returns the content of the answer.
    private func send(
        _ type: String, _ data: JSONObject, id: String, at date: Date
    ) async throws(Failure) -> [UInt8] {
        let now = clock.now
        guard permitsCall(at: now) else {
            metrics.count(.hookCalls, "skipped")
            throw Failure(
                description: "it is not asked after \(Self.tolerance) failed calls in a row", isUnsent: true)
        }
        let message: JSONObject = [
            "type": .string(type), "timestamp": .string(date.formatted(.iso8601)), "data": .object(data),
        ]
        do {
            let content = JSONValue.object(message).serialized()
            let target = try HTTPOrigin.split(hook.url)
            var request = HTTPRequest(
                method: .post, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
                fields: [.contentType: "application/json"], body: HTTPBody(content))
            try await secret.sign(&request, content: content, id: id, at: now)
            let response = try await transport.respond(to: request)
            guard response.status.isSuccess else {
                var failure = Failure(description: "it answered with the status \(response.status.rawValue)")
                failure.status = response.status
                failure.retryAfter = RetryAfter(response)?.delay(answeredAt: nil, now: now)
                throw failure
            }
            return try await response.body.collected(upTo: Self.maximumSize)
        } catch let failure as Failure {
            throw counted(failure)
        } catch HTTPError.cancelled {
            throw Failure(description: "the request was canceled", isUnsent: true)
        } catch {
            throw counted(Failure(description: "it did not answer: \((error as? HTTPError)?.code ?? "failed")"))
        }
    }

    private func noteAnswer() {
        state.withLock { $0 = (0, -.infinity) }
        metrics.count(.hookCalls, "answered")
    }

    /// Returns whether the program may be asked; after a pause one call tries, and the others wait for its result.
    private func permitsCall(at now: Date) -> Bool {
        let time = now.timeIntervalSince1970
        return state.withLock { state in
            guard state.failures >= Self.tolerance else { return true }
            // A clock that was set back must not keep a program unasked.
            guard state.until <= time || state.until > time + Self.pause else { return false }
            state.until = time + Self.pause
            return true
        }
    }

    /// Whether the last call has failed.
    package var isFailing: Bool { state.withLock { $0.failures > 0 } }

    /// Returns whether the program is not asked for a while.
    package func isPaused(at now: Date) -> Bool {
        // A clock that was set back must not keep a program unasked.
        let pause = state.withLock(\.until) - now.timeIntervalSince1970
        return pause > 0 && pause <= Self.pause
    }

    /// Counts a failure, after several of which the program is not asked for a while.
    ///
    /// A program that refuses a message is there: a stranger who is refused must not keep it from being asked.
    private func counted(_ failure: Failure) -> Failure {
        metrics.count(.hookCalls, "failed")
        let now = clock.now.timeIntervalSince1970
        state.withLock { state in
            guard !failure.isRefusal else {
                state = (0, -.infinity)
                return
            }
            state.failures += 1
            if state.failures >= Self.tolerance { state.until = now + Self.pause }
        }
        return failure
    }
}
