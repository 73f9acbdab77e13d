// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// A bounded queue in which the waiting networks take turns.
///
/// First the wider networks take turns, then the networks within each of them. A full queue removes a job of the
/// region, wider network and network with the most jobs. So a flood from few networks rejects and delays only itself
/// (attack D7).
package struct FairQueue<Element> {
    private struct Entry {
        let network: NetworkPrefix
        let element: Element
    }

    /// The entries in order of arrival.
    private var entries: [Entry] = []
    /// The turn in which each waiting network, narrow or wide, was last served or began to wait.
    private var turns: [NetworkPrefix: Int] = [:]
    private var turn = 0
    private let maximumCount: Int

    package init(maximumCount: Int) { self.maximumCount = maximumCount }

    package var count: Int { entries.count }

    /// Adds an element, and returns the element that is removed for it, which can be the new one.
    package mutating func append(_ element: Element, from network: NetworkPrefix) -> Element? {
        entries.append(Entry(network: network, element: element))
        for key in [network, network.wide] where turns[key] == nil { turns[key] = turn }
        guard entries.count > maximumCount else { return nil }
        var indices = Array(entries.indices)
        for key in [\NetworkPrefix.region, \.wide, \.self] {
            let most = busiest(indices) { entries[$0].network[keyPath: key] }
            indices.removeAll { entries[$0].network[keyPath: key] != most }
        }
        return indices.last.map { remove(at: $0) }
    }

    /// Removes the element whose turn it is.
    package mutating func popFirst() -> Element? {
        let orders = entries.map { (turns[$0.network.wide] ?? 0, turns[$0.network] ?? 0) }
        guard let index = orders.indices.min(by: { orders[$0] < orders[$1] }) else { return nil }
        turn += 1
        let network = entries[index].network
        for key in [network, network.wide] { turns[key] = turn }
        return remove(at: index)
    }

    /// Removes the first element that satisfies a condition.
    package mutating func removeFirst(where isIncluded: (Element) -> Bool) -> Element? {
        entries.firstIndex { isIncluded($0.element) }.map { remove(at: $0) }
    }

    /// Removes an entry, and forgets the turns of networks that no longer wait.
    private mutating func remove(at index: Int) -> Element {
        let entry = entries.remove(at: index)
        if !entries.contains(where: { $0.network == entry.network }) { turns[entry.network] = nil }
        if !entries.contains(where: { $0.network.wide == entry.network.wide }) { turns[entry.network.wide] = nil }
        return entry.element
    }

    /// Returns the most frequent key; of several, a random one.
    ///
    /// The last one would always be the newcomer while a flood keeps the queue full.
    private func busiest(_ indices: [Int], key: (Int) -> NetworkPrefix) -> NetworkPrefix? {
        var counts: [NetworkPrefix: Int] = [:]
        for index in indices { counts[key(index), default: 0] += 1 }
        let most = counts.values.max()
        return counts.filter { $0.value == most }.keys.randomElement()
    }
}
