// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchRPC

/// The results of our decoder and Python's for the same inputs.
enum Comparison {
    /// The seed and number of inputs from `LATCH_DIFFERENTIAL=SEED:COUNT`, if they differ from those of `make test`.
    static let wish: (seed: UInt64, count: Int)? = {
        let parts = ProcessInfo.processInfo.environment["LATCH_DIFFERENTIAL"]?.split(separator: ":") ?? []
        guard parts.count == 2, let seed = UInt64(parts[0]), let count = Int(parts[1]) else { return nil }
        return (seed, count)
    }()

    /// One input about which both do not agree.
    struct Difference: CustomStringConvertible {
        let input: Input
        let what: String
        let notes: String

        var description: String { "\(input.name) \(input.spelling): \(what) (\(notes))" }
    }

    struct Outcome {
        var accepted = 0
        var refused = 0
        /// The number of inputs that a known leniency excuses, by its name.
        var excused: [String: Int] = [:]
        var differences: [Difference] = []
    }

    static func run(_ inputs: [Input]) async throws -> Outcome {
        var outcome = Outcome()
        for (input, theirs) in zip(inputs, try await PythonDecoder.read(inputs)) {
            let ours = read(input)
            if ours == nil, !theirs.isAccepted { outcome.refused += 1 }
            if ours != nil, theirs.isAccepted { outcome.accepted += 1 }
            guard let what = try difference(ours, theirs, input) else { continue }
            let error = error(input)
            if let excuse = KnownDeviations.excuse(for: input, what, theirs, ours: error) {
                outcome.excused[excuse, default: 0] += 1
            } else {
                let json = String(decoding: theirs.json ?? [], as: UTF8.self)
                let notes = [theirs.notes, error, what == .written ? json : ""].joined(separator: "; ")
                outcome.differences.append(Difference(input: input, what: what.rawValue, notes: notes))
            }
        }
        return outcome
    }

    enum Kind: String {
        case weRefuse = "Python accepts, we refuse"
        case pythonRefuses = "we accept, Python refuses"
        case meaning = "both read something else"
        case written = "what Python writes in JSON is another message"
    }

    private static func difference(
        _ ours: (any Message)?, _ theirs: PythonDecoder.Answer, _ input: Input
    ) throws -> Kind? {
        guard let ours else { return theirs.isAccepted ? .weRefuse : nil }
        guard theirs.isAccepted else { return .pythonRefuses }
        let bytes = try ours.serialized(deterministic: true)
        if bytes != theirs.bytes {
            guard let read = read(Input(type: input.type, isJSON: false, bytes: theirs.bytes)) else { return .meaning }
            if try bytes != read.serialized(deterministic: true), !isSaidAlike(ours, read, input) { return .meaning }
        }
        guard let json = theirs.json else { return nil }
        let known = try withoutUnknown(ours, input.type)
        let read = self.read(Input(type: input.type, isJSON: true, bytes: json))
        return try read?.serialized(deterministic: true) == known ? nil : .written
    }

    /// Whether two messages of a JSON text are the same in JSON, where they have an Any: its bytes are in the order of
    /// the one who packed it.
    private static func isSaidAlike(_ one: any Message, _ other: any Message, _ input: Input) -> Bool {
        guard input.isJSON, let json = written(one) else { return false }
        return json == written(other)
    }

    /// The message as JSON can say it.
    private static func withoutUnknown(_ message: any Message, _ type: any Message.Type) throws -> [UInt8]? {
        guard let json = written(message) else { return nil }
        return try read(Input(type: type, isJSON: true, bytes: json))?.serialized(deterministic: true)
    }

    private static func written(_ message: any Message) -> [UInt8]? {
        do throws(ProtoError) {
            return try message.jsonBytes(JSONEncodingOptions(types: Input.registry, extensions: Input.extensions))
        } catch {
            return nil
        }
    }

    static func read(_ input: Input) -> (any Message)? {
        do throws(ProtoError) { return try decode(input) } catch { return nil }
    }

    private static func error(_ input: Input) -> String {
        do throws(ProtoError) { _ = try decode(input) } catch { return error.message }
        return ""
    }

    private static func decode(_ input: Input) throws(ProtoError) -> any Message {
        guard input.isJSON else { return try input.type.init(serialized: input.bytes, extensions: Input.extensions) }
        let options = JSONDecodingOptions(types: Input.registry, extensions: Input.extensions)
        return try input.type.init(json: input.bytes, options: options)
    }
}
