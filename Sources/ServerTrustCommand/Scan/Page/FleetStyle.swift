//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the page of a fleet looks like beyond what all pages do.
enum FleetStyle {
    static let sheet: HTMLText = """
        body { max-width: 84rem; }
        [hidden] { display: none !important; }
        .tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: 1.25rem 0 .75rem; }
        .tools input, .tools select, button {
          font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
          padding: .45rem .7rem; min-height: 2.5rem;
        }
        .tools input { flex: 1 1 14rem; min-width: 0; }
        button { cursor: pointer; }
        button b { font-weight: 700; }
        [data-outcome] { border-color: currentColor; font-weight: 600; }
        [data-outcome][aria-pressed=false] { color: var(--soft); background: var(--paper); text-decoration: line-through; }
        :is(button, input, select):focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        #faults { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; padding: 0; }
        #faults button { padding: .2rem .6rem; min-height: 2rem; font-size: .875rem; background: var(--panel); }
        #hosts { font-variant-numeric: tabular-nums; }
        #hosts thead th { position: sticky; top: 0; background: var(--paper); padding: 0 .6rem 0 0; z-index: 1; }
        #hosts thead button { border: 0; padding: .4rem 0; font-weight: 650; white-space: nowrap; background: none; }
        th[aria-sort=ascending] button::after { content: " \\2191"; }
        th[aria-sort=descending] button::after { content: " \\2193"; }
        #hosts tbody tr:first-child > * { border-bottom: 0; padding-bottom: 0; }
        #hosts tbody th { font-weight: 650; }
        #hosts td { white-space: nowrap; }
        #hosts .why td { white-space: normal; color: var(--soft); padding-bottom: .5rem; }
        .why details { margin: 0; }
        .why details[open] { color: var(--ink); padding-bottom: .75rem; }
        .why summary { color: inherit; }
        .reasons { margin: .75rem 0; }
        .soon { color: var(--fail); font-weight: 700; }
        @media (max-width: 44rem) {
          #hosts, #hosts thead, #hosts tbody, #hosts tr { display: block; }
          .tools select { flex: 1 0 100%; }
          .tools button { flex: 1 0 auto; padding: .45rem .5rem; }
          #hosts thead tr { display: flex; flex-wrap: wrap; gap: 0 1rem; }
          #hosts thead th { position: static; border: 0; padding: 0; }
          #hosts tbody { border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .8rem; margin: .6rem 0; }
          #hosts tbody tr:first-child { display: flex; flex-wrap: wrap; gap: .35rem .8rem; align-items: baseline; }
          #hosts tbody tr > * { border: 0; padding: 0; }
          #hosts tbody th { flex: 1 0 100%; }
          #hosts tr:first-child td:empty { display: none; }
          #hosts tr:first-child td::before { content: attr(data-label) " "; color: var(--soft); font-size: .8125rem; font-weight: 400; }
          #hosts .why td { display: block; padding: .5rem 0 0; }
        }
        @media print {
          .tools, #more, section.faults { display: none; }
          #hosts thead th { position: static; }
          #hosts tbody { break-inside: avoid; }
          #hosts { font-size: 8.5pt; }
        }

        """
}
