// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import LatchTesting

/// The test service as our server answers it; the peers of Tests/Peers/RPC answer alike.
///
/// What a note's text asks for: `fail NUMBER TEXT` fails so, with the note `detail` as a detail; `wait` waits for the
/// end of the time; `time` tells the seconds left; `throw` throws what is no error of a call.
struct NotesService: Sendable {
    struct Secret: Error {}

    var handlers: [RPCMethodHandler] {
        [
            .unary(Notes.echo) { try await echo($0, $1) },
            .unary(Notes.read) { try await echo($0, $1) },
            .serverStream(Notes.count) { try await count($0, $1) },
            .clientStream(Notes.add) { try await add($0, $1) },
            .bidirectional(Notes.talk) { try await talk($0, $1) },
        ]
    }

    private func echo(_ note: Note, _ context: CallContext) async throws -> Note {
        try prepare(note, context)
        switch note.text {
        case "wait": try await untilCancelled()
        case "time":
            return Note(number: Int32(context.deadline.map { ($0.remaining / .seconds(1)).rounded(.up) } ?? -1))
        case "who": return Note(text: context.metadata[.userAgent] ?? "")
        default: break
        }
        return note
    }

    private func count(_ note: Note, _ context: CallContext) async throws -> RPCStream<Note> {
        try prepare(Note(), context)
        return RPCStream { writer in
            for number in 0..<note.number {
                var answer = Note(number: number)
                answer.data = note.data
                try await writer.send(answer)
            }
            try failAsAsked(note)
            while note.text == "forever" { try await writer.send(Note(text: "more")) }
            if note.text == "wait" { try await untilCancelled() }
        }
    }

    private func add(_ notes: RPCStream<Note>, _ context: CallContext) async throws -> Note {
        try prepare(Note(), context)
        var sum = Note()
        var texts: [String] = []
        for try await note in notes {
            try failAsAsked(note)
            sum.number += note.number
            texts.append(note.text)
        }
        sum.text = texts.joined(separator: ",")
        return sum
    }

    private func talk(_ notes: RPCStream<Note>, _ context: CallContext) async throws -> RPCStream<Note> {
        try prepare(Note(), context)
        return RPCStream { writer in
            for try await note in notes {
                try failAsAsked(note)
                try await writer.send(Note(text: note.text, number: note.number + 1))
            }
        }
    }

    private func prepare(_ note: Note, _ context: CallContext) throws {
        context.responseMetadata[.init("x-answer")] = context.metadata["x-ask"]
        context.responseTrailers.append(context.metadata["x-ask"] ?? "none", for: "x-after")
        for value in context.metadata.binaryValues(of: "x-ask-bin") {
            context.responseTrailers.appendBinary(value, for: "x-after-bin")
        }
        try failAsAsked(note)
    }

    private func failAsAsked(_ note: Note) throws {
        if note.text == "throw" { throw Secret() }
        let words = note.text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "fail", let number = Int(words[1]), let code = RPCCode(rawValue: number)
        else { return }
        let detail = try ProtoAny(packing: Note(text: "detail", number: Int32(number)))
        throw RPCError(code, String(words[2]), details: [detail])
    }
}
