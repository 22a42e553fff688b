/*
 * The counting of one bucket in one window, on a Redis that may lose what it counted, as grant.lua, shared-mode.ts and
 * local-shares.ts do it: a grant whose reply arrives is used, and one whose reply is lost is forfeited. model.ts checks
 * this with spin, and that each rule is needed: NO_FLOOR, NO_SETTLING, NO_EPOCH and NO_ADDITION leave one out.
 */
#define GATEWAYS 2
#define LIMIT 3
#define CALLS 4 /* at each gateway */
#define min(a, b) (a < b -> a : b)
#define pushed (has_pushed[0] && has_pushed[1])

/* Redis. The marker tells one loss from another; the epoch, one operator's reset from another. */
byte count, epoch, marker
bool has_pushed[GATEWAYS]

/* What happened, as nobody in the system knows it; by the resets before it. */
byte losses, resets
byte granted[2], alone[2], added[2], taken
bool is_given[8] /* 4 * resets + the number of a grant */

inline push_floor() { /* Redis raises its count to what this gateway knows of it */
#ifndef NO_FLOOR
  if :: known_epoch >= epoch && known > count -> count = known :: else fi;
  if :: known_epoch > epoch -> epoch = known_epoch :: else fi
#else
  skip
#endif
}

inline learn() { known = count; known_epoch = epoch }

inline add_owed() { /* what this gateway admitted alone */
#ifndef NO_ADDITION
  count = count + owed; taken = taken + owed;
#endif
  added[resets] = added[resets] + owed; owed = 0;
  assert(count >= min(LIMIT, granted[resets] + added[resets])) /* Redis counts every call that was admitted */
}

proctype Gateway(byte id) {
  byte calls, known, known_epoch, known_marker, owed, spent, told;
  bool is_away;
end:
  do
  :: atomic { calls < CALLS && !is_away -> /* a call that Redis decides */
       calls++;
#ifdef NO_SETTLING
       if :: true ->
#else
       if :: known_marker == marker && pushed ->
#endif
            push_floor();
            if :: count >= LIMIT -> learn()
               :: count < LIMIT ->
                    count++; taken++;
                    if :: learn(); /* the reply arrives */
                          granted[resets]++; assert(granted[resets] <= LIMIT);
                          assert(!is_given[4 * resets + count]); is_given[4 * resets + count] = true
                       :: is_away = true /* or not */
                    fi
            fi;
            assert(losses > 0 || count <= taken) /* a reset lets the whole limit pass again */
          :: else -> is_away = true
       fi }
  :: atomic { calls < CALLS && is_away -> /* a call without Redis, of this gateway's share of what was left */
       calls++;
       if :: spent < (LIMIT - min(LIMIT, known)) / GATEWAYS ->
            spent++; owed++; alone[resets]++;
            assert(alone[resets] <= GATEWAYS * (LIMIT / GATEWAYS) * (1 + resets))
          :: else
       fi }
  :: atomic { known_marker != marker -> /* it notices a loss, with any reply */
       push_floor(); known_marker = marker; has_pushed[id] = true; is_away = true }
#ifdef NO_SETTLING
  :: atomic { is_away && known_marker == marker -> push_floor(); add_owed(); learn(); is_away = false }
#else
  :: atomic { is_away && known_marker == marker && pushed -> push_floor(); add_owed(); learn(); is_away = false }
#endif
  :: atomic { told < resets -> /* it learns of a reset, perhaps long after it */
       told++; spent = 0; owed = 0;
       if :: known_epoch < resets -> known = 0; known_epoch = resets :: else fi }
  od
}

active proctype World() {
  do
  :: atomic { losses + resets < 2 -> losses++; count = 0; epoch = 0; marker++; has_pushed[0] = false; has_pushed[1] = false }
  :: atomic { losses + resets < 2 && resets == 0 -> resets++; count = 0; taken = 0;
#ifndef NO_EPOCH
       epoch++
#endif
     }
  :: break
  od
}

init { atomic { has_pushed[0] = true; has_pushed[1] = true; run Gateway(0); run Gateway(1) } }
