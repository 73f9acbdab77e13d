// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension MessageStorage {
    /// A date, kept as a google.protobuf.Timestamp; 1970 where it is absent.
    public subscript(date slot: Int) -> Date {
        get { Moment(child(slot)).date }
        // What was finer than a Date can tell stays, if it is the same Date that is set again.
        set { if !has(slot) || self[date: slot] != newValue { setMoment(slot, Moment(newValue)) } }
    }

    /// A date, kept as a google.protobuf.Timestamp, that may be absent.
    public subscript(optionalDate slot: Int) -> Date? {
        get { child(slot).map { Moment($0).date } }
        set { if let newValue { self[date: slot] = newValue } else { clear(slot) } }
    }

    /// Several dates; each reading and writing makes them anew.
    public subscript(dates slot: Int) -> [Date] {
        get { children(slot).map { Moment($0).date } }
        _modify {
            var values = self[dates: slot]
            defer { setMoments(slot, values.map { Moment($0) }) }
            yield &values
        }
    }

    /// A duration, kept as a google.protobuf.Duration; zero where it is absent.
    public subscript(duration slot: Int) -> Duration {
        get { Moment(child(slot)).duration }
        // What was finer than a Duration can tell stays, if it is the same Duration that is set again.
        set { if !has(slot) || self[duration: slot] != newValue { setMoment(slot, Moment(newValue)) } }
    }

    /// A duration, kept as a google.protobuf.Duration, that may be absent.
    public subscript(optionalDuration slot: Int) -> Duration? {
        get { child(slot).map { Moment($0).duration } }
        set { if let newValue { self[duration: slot] = newValue } else { clear(slot) } }
    }

    /// Several durations; each reading and writing makes them anew.
    public subscript(durations slot: Int) -> [Duration] {
        get { children(slot).map { Moment($0).duration } }
        _modify {
            var values = self[durations: slot]
            defer { setMoments(slot, values.map { Moment($0) }) }
            yield &values
        }
    }

    private mutating func setMoment(_ slot: Int, _ moment: Moment) {
        guard let entry = entry(slot, .message), let child = table.child(entry) else { return }
        setChild(entry, moment.storage(in: child))
    }

    private mutating func setMoments(_ slot: Int, _ moments: [Moment]) {
        guard let entry = entry(slot, .messages), let child = table.child(entry) else { return }
        setList(slot, .messages, moments.map { $0.storage(in: child) })
    }
}

extension LayoutTable {
    /// The table of the messages that a field holds.
    @inline(__always)
    func child(_ entry: FieldEntry) -> UnsafePointer<LayoutTable>? {
        children[Int(entry.child)].message?._withUnsafeGuaranteedRef { $0.table }
    }
}
