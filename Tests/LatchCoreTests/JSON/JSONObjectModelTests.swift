// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Testing

/// A model of a JSON object, as plain as possible: an array of pairs.
private struct PlainObject {
    var pairs: [(key: String, value: JSONValue)] = []

    subscript(key: String) -> JSONValue? {
        get { pairs.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }
        set {
            let place = pairs.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
            switch (place, newValue) {
            case (let place?, let value?): pairs[place].value = value
            case (let place?, nil): pairs.remove(at: place)
            case (nil, let value?): pairs.append((key, value))
            case (nil, nil): break
            }
        }
    }
}

@Suite struct JSONObjectModelTests {
    /// Few names, some of them alike for `String` but not in bytes, and enough of them to pass the size of the index.
    private static let names = (0..<24).map { "k\($0)" } + ["\u{E9}", "e\u{301}", "", "\u{212B}", "\u{C5}", "A\u{30A}"]

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A JSON object under random changes keeps names, values and order as a plain array of pairs would`(
        seed: UInt64
    ) {
        var random = SplitMix64(state: seed)
        var object = JSONObject()
        var model = PlainObject()
        for step in 0..<1_500 {
            let name = random.pick(Self.names)
            // It grows for a while and shrinks for a while.
            let removes = random.below(10) < (step / 200 % 2 == 0 ? 2 : 7)
            let value = removes ? nil : JSONValue.integer(Int64(step))
            object[name] = value
            model[name] = value
            expectEqual(object.count, model.pairs.count, "seed \(seed), step \(step)")
            let probe = random.pick(Self.names)
            expectEqual(object[probe], model[probe], "seed \(seed), step \(step)")
        }
        expectEqual(object.map(\.value), model.pairs.map(\.value), "seed \(seed)")
        #expect(zip(object.keys, model.pairs).allSatisfy { $0.utf8.elementsEqual($1.key.utf8) }, "seed \(seed)")
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A JSON object under random changes equals itself shuffled, and nothing with one different member`(
        seed: UInt64
    ) {
        var random = SplitMix64(state: seed)
        for count in 1...40 {
            let members = (0..<count).map { (key: "m\($0)", value: JSONValue.integer(Int64($0))) }
            let object = JSONObject(members)
            let shuffled = JSONObject(members.shuffled(using: &random))
            expectEqual(object, shuffled, "seed \(seed)")
            expectEqual(object.hashValue, shuffled.hashValue, "seed \(seed)")
            var other = shuffled
            other["m\(random.below(count))"] = random.pick([nil, .null, .integer(-1)])
            expectNotEqual(object, other, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `A JSON object under random changes is read from text in the order in which it was written`(seed: UInt64)
        throws
    {
        var random = SplitMix64(state: seed)
        for _ in 0..<50 {
            let names = Self.names.shuffled(using: &random).prefix(random.below(Self.names.count + 1))
            let object = JSONObject(names.map { (key: $0, value: .string($0)) })
            let read = try JSONValue(parsing: JSONValue.object(object).serialized()).objectValue
            expectEqual(read, object, "seed \(seed)")
            expectEqual(read?.keys, object.keys, "seed \(seed)")
        }
    }

    @Test func `A JSON object that has one name twice keeps the last value at the first place`() {
        var members = (0..<40).map { (key: "m\($0)", value: JSONValue.integer(Int64($0))) }
        members.append((key: "m3", value: "last"))
        let object = JSONObject(members)
        expectEqual(object.count, 40)
        #expect(object[3] == (key: "m3", value: "last"))
    }
}
