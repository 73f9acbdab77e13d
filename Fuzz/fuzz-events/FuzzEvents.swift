// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as an event stream: however they are cut the events are the same, and each could have been written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEvents(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    var limits = EventStreamParser.Limits()
    limits.lineBytes = 64
    limits.eventBytes = 256
    let whole = read(input, in: max(1, count), limits)
    let size = 1 + (input.first.map(Int.init) ?? 0) % 5
    let cut = read(input, in: size, limits)
    hold(whole?.events == cut?.events, "\(count) bytes are the same in pieces of \(size)")
    hold(whole?.id == cut?.id, "the identifier is the same")
    hold(whole?.retry == cut?.retry, "the wait is the same")
    for event in whole?.events ?? [] {
        hold(!event.type.isEmpty, "an event has a type")
        hold(!event.id.utf8.contains(0) && !event.type.utf8.contains { $0 == 10 || $0 == 13 }, "fields are of one line")
        hold(!event.data.utf8.contains(13) && event.data.utf8.count <= 3 * 256, "data has line feeds and a bound")
        holdWritten(event)
    }
    return 0
}

private func holdWritten(_ event: ServerSentEvent) {
    let lines = event.data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
    var parser = EventStreamParser()
    let again = try? parser.consume(Array("event: \(event.type)\nid: \(event.id)\n\(lines.joined())\n".utf8))
    hold(again == [event], "\(event) is read again as it was written")
}

private func read(
    _ input: [UInt8], in size: Int, _ limits: EventStreamParser.Limits
) -> (events: [ServerSentEvent], id: String, retry: Duration?)? {
    var parser = EventStreamParser(limits: limits)
    var events: [ServerSentEvent] = []
    var rest = input[...]
    while !rest.isEmpty {
        guard let some = try? parser.consume(Array(rest.prefix(size))) else { return nil }
        events += some
        rest = rest.dropFirst(size)
    }
    return (events, parser.lastEventID, parser.retry)
}
