// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The messages that have a property, directly or in a nested message at any depth.
///
/// Each message is visited once, so the time is linear in the number of fields.
struct Reachability {
    private var known: [ObjectIdentifier: Bool] = [:]
    /// The number of messages that were visited.
    private(set) var visits = 0

    /// Whether a message or one of its nested messages has the property.
    ///
    /// - Parameters:
    ///   - parts: Returns the nested messages of a message.
    ///   - hasIt: Whether a message itself has the property.
    mutating func reaches(
        _ message: MessageDescriptor, parts: (MessageDescriptor) -> [MessageDescriptor],
        hasIt: (MessageDescriptor) -> Bool
    ) -> Bool {
        if let answer = known[ObjectIdentifier(message)] { return answer }
        var (seen, queue): (Set<ObjectIdentifier>, [MessageDescriptor]) = ([ObjectIdentifier(message)], [message])
        var (owners, found): ([ObjectIdentifier: [ObjectIdentifier]], [ObjectIdentifier]) = ([:], [])
        while let next = queue.popLast() {
            visits += 1
            let id = ObjectIdentifier(next)
            if hasIt(next) { found.append(id) }
            for inner in parts(next) {
                let part = ObjectIdentifier(inner)
                if let answer = known[part] {
                    if answer { found.append(id) }
                    continue
                }
                owners[part, default: []].append(id)
                if seen.insert(part).inserted { queue.append(inner) }
            }
        }
        for id in seen { known[id] = false }
        while let id = found.popLast() {
            guard known.updateValue(true, forKey: id) != true else { continue }
            found += owners[id] ?? []
        }
        return known[ObjectIdentifier(message)] ?? false
    }
}
